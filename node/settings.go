package node

import (
	"encoding/json"
	"strings"
	"time"
)

// Settings changes a running server, for a program that has read its configuration again. Call its
// methods on the goroutine of Run. A journal has all these changes.
type Settings struct{ server *Server }

// These settings are in a journal. setPassword is that of SetPassword, and drain that of
// Server.Drain. Those of Expect and Unexpect have the name of the variable behind.
const (
	setPassword = "password"
	expect      = "expect "
	unexpect    = "unexpect "
	drain       = "drain "
)

// SetPassword sets the password to a text, which can begin with @. file is the later value of
// PasswordFile.
func (s Settings) SetPassword(text, file string) error {
	s.server.rec.Set(setPassword, text)
	defer s.server.rec.Done()
	return s.server.admission.Replace(text, file)
}

// PasswordFile returns @FILE if the console variable sv.password has been set to it, else "".
func (s Settings) PasswordFile() string { return s.server.admission.PasswordFile }

// Expect sets the initial value of a setting that no mod has declared yet.
func (s Settings) Expect(setting, text string) { s.set(expect+setting, text) }

// Unexpect removes the initial value of a setting that no mod has declared yet.
func (s Settings) Unexpect(setting string) { s.set(unexpect+setting, "") }

// set applies a setting of the program.
func (s Settings) set(name, value string) {
	s.server.rec.Set(name, value)
	defer s.server.rec.Done()
	kind, setting, _ := strings.Cut(name, " ")
	switch kind + " " {
	case expect:
		s.server.core.Side.Scripts.Expect(setting, value)
	case unexpect:
		s.server.core.Side.Scripts.Unexpect(setting)
	case drain:
		most, _ := time.ParseDuration(value)
		_ = s.server.core.Side.Host.Drain.Begin(most, "", true) // it fails in the replay as it did
	case allocated:
		var annotations map[string]string
		_ = json.Unmarshal([]byte(value), &annotations)
		s.server.core.Side.Scripts.Allocated(annotations)
	default:
		s.server.core.Side.Host.Admission.Password = value
	}
}

// Reread reads the lists of players and the rights again, if people have changed their files.
// Players who are banned now are disconnected. The error has a sentence for each line that cannot
// be used: the others hold.
func (s Settings) Reread() error {
	s.server.rec.Reread()
	defer s.server.rec.Done()
	err := s.server.admin.Reread()
	s.server.core.Side.Scripts.RightsChanged()
	return err
}

// notePlain looks for keys with a role on pages over plain HTTP.
func (s Settings) notePlain() {
	s.server.rec.NotePlain()
	defer s.server.rec.Done()
	s.server.admin.NotePlain()
}
