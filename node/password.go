package node

// SetPassword sets the password to a text, which can begin with @. file is the later value of
// PasswordFile. Call it on the goroutine of Run.
func (s *Server) SetPassword(text, file string) error {
	s.rec.Set(setPassword, text)
	defer s.rec.Done()
	return s.admission.Replace(text, file)
}

// PasswordFile returns @FILE if the console variable sv.password has been set to it, else "". Call
// it on the goroutine of Run.
func (s *Server) PasswordFile() string { return s.admission.PasswordFile }
