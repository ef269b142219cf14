package manual

import (
	"fmt"
	"strings"
)

// page writes a manual page.
func page(p *Program) string {
	var b strings.Builder
	fmt.Fprintf(&b, ".TH %s 1 \"\" %s\n", strings.ToUpper(p.Name), roff(`"`+p.Name+" "+p.Version+`"`))
	fmt.Fprintf(&b, ".SH NAME\n%s \\- %s\n.SH SYNOPSIS\n.B %[1]s\n.I command\n[argument|flag]...\n.SH COMMANDS\n", roff(p.Name), roff(p.About))
	for _, c := range p.Commands {
		fmt.Fprintf(&b, ".SS %s\n%s.\n", roff(strings.TrimSpace(p.Name+" "+c.Name+" "+c.Params)), roff(sentence(c.Help)))
		for _, f := range c.Flags {
			fmt.Fprintf(&b, ".TP\n.B %s\n%s.\n", roff(strings.TrimSpace("--"+f.Name+" "+f.Param)), roff(sentence(f.Help)))
		}
	}
	return b.String()
}

// roff escapes a text for a manual page.
func roff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`, "…", "...").Replace(text)
	if strings.HasPrefix(text, ".") || strings.HasPrefix(text, "'") {
		text = `\&` + text
	}
	return text
}

// sentence begins a text with a capital letter.
func sentence(text string) string {
	if text == "" {
		return text
	}
	return strings.ToUpper(text[:1]) + text[1:]
}
