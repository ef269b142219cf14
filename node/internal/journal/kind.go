package journal

// A Kind says what an Entry is.
type Kind uint8

// Calls begin something in the server. The entries up to the next call are what the server asked in
// it.
const (
	// Start begins the server: its mods are loaded. Its Time is that of all loading.
	Start Kind = iota + 1
	// Receive is a datagram. Number is the number of the address in the table of Address entries.
	Receive
	// Send lets the server send.
	Send
	// Tick runs a tick. Number is the date of the machine in ns since 1970. Data is the CRC-32C of
	// all datagrams since the last tick.
	Tick
	// Line is a line of the console. Name is who gave it, Number how it runs. Data is the length of
	// the line, the line, and the unfinished chunk that it continues. Ways 3 and 4 set a variable
	// to a value, and to its default.
	Line
	// Set is a setting that the program makes between two calls: of the password, or of a variable
	// that no mod has yet.
	Set
	// Resolved is the result of a lookup of a name. Number is the number of the lookup, Data its
	// addresses, Name its error.
	Resolved
	// Tried is the result of the tests of a mod. Number is the number of the trial, Name its error.
	Tried
	// Plain lets the server look for keys on pages over plain HTTP.
	Plain
	// Ending tells the mods that the server ends. Number is 1 if it starts again.
	Ending
	// Close tells the peers that the server ends. Number is 1 if it starts again, Name is the
	// reason.
	Close
	// Command is a command that the program adds to the console of the server. Data describes it.
	Command
	// Reread lets the server read its lists of players and rights again.
	Reread
	// Fleet is what the peers of the server said: Data, as JSON.
	Fleet
	// News are news of the fleet: Data, as JSON. Number is how many entries with the rest of it
	// follow.
	News
)

// Answers are what the server asked. Those without an answer in the journal had the usual one.
const (
	// Exchange is a secret of the key exchange with a peer. Name is an error.
	Exchange Kind = iota + 32
	// Token is the reset token of a connection.
	Token
	// Loaded are the stored values of a mod, or how much each mod has stored. Name is an error.
	Loaded
	// Stored are finished batches of stored values. Number is the number of the question.
	Stored
	// Events are events of the connections of mods. Number is the number of the question.
	Events
	// OverHTTP: a browser has its page over plain HTTP. Number is the number of the question.
	OverHTTP
	// Verdict is a decision of the meter of scripts. Number is its kind, Data are its two numbers.
	Verdict
	// Output is the result of a console command of the program or of the machine. Name is an
	// error.
	Output
	// May: the user of a line can run the command Name.
	May
	// Edited is the text of a list that people have changed in its file. Number is the number of
	// the question, Name is an error.
	Edited
	// Sealed is a ticket for a player who goes to another server. Name is an error.
	Sealed
	// Arrival is what the ticket of a player who comes from another server says, and the clocks by
	// which it counts: Data, as JSON. Name is why it does not count.
	Arrival
)

// Facts are neither.
const (
	// Address sets the address of a Number in the table of addresses: Data.
	Address Kind = iota + 64
	// Content is the content of files. Later entries have its number in the order of Content
	// entries.
	Content
	// File is a file of a folder. Name is its path, Data its description. Number is the number of
	// its folder.
	File
	// State are hashes of the world, 256 ticks after the last ones.
	State
	// Mark is a place to look at. Name says why.
	Mark
	// End is the end. Name says why the journal ends before the server, "" if it does not. Number
	// is the CRC-32C of all datagrams since the last tick.
	End
)

// IsCall reports whether entries of a kind begin something in the server.
func (k Kind) IsCall() bool { return k >= Start && k <= News }

// fields are the fields of an entry besides its kind.
type fields uint8

const (
	hasTime fields = 1 << iota
	hasNumber
	hasName
	hasData
)

// fieldsOf are the fields of each kind.
var fieldsOf = map[Kind]fields{
	Start:    hasTime,
	Receive:  hasTime | hasNumber | hasData,
	Send:     hasTime,
	Tick:     hasTime | hasNumber | hasData,
	Line:     hasNumber | hasName | hasData,
	Set:      hasName | hasData,
	Resolved: hasNumber | hasName | hasData,
	Tried:    hasNumber | hasName,
	Plain:    0,
	Ending:   hasNumber,
	Close:    hasTime | hasNumber | hasName,
	Command:  hasData,
	Reread:   0,
	Fleet:    hasData,
	News:     hasTime | hasNumber | hasData,
	Exchange: hasName | hasData,
	Token:    hasData,
	Loaded:   hasName | hasData,
	Stored:   hasNumber | hasData,
	Events:   hasNumber | hasData,
	OverHTTP: hasNumber,
	Verdict:  hasNumber | hasData,
	Output:   hasName | hasData,
	May:      hasName,
	Edited:   hasNumber | hasName | hasData,
	Sealed:   hasName | hasData,
	Arrival:  hasName | hasData,
	Address:  hasNumber | hasData,
	Content:  hasData,
	File:     hasNumber | hasName | hasData,
	State:    hasNumber | hasData,
	Mark:     hasName,
	End:      hasNumber | hasName,
}
