package analyzer

// A Rule documents one code: `mrtr-migrate explain CODE` prints it.
type Rule struct {
	Code     Code
	Title    string
	Severity Severity
	// What it finds and Why that matters, as paragraphs of plain text.
	What, Why string
	// Fires is an example that is reported, Silent its look-alike that is not.
	Fires, Silent string
	// Do says what to do about it.
	Do string
}

// Rules returns the rules that are implemented, in the order of their codes.
func Rules() []Rule {
	return append([]Rule(nil), rules...)
}

// RuleOf returns the rule of a code and whether there is one.
func RuleOf(code Code) (Rule, bool) {
	for _, r := range rules {
		if r.Code == code {
			return r, true
		}
	}
	return Rule{}, false
}
