package analyzer

// A Code is the stable name of a rule.
type Code string

// The codes of the rules that exist. The numbers are those of the design and
// never change their meaning.
const (
	CodeUnused       Code = "MRTR000"
	CodeElicitation  Code = "MRTR001"
	CodeSampling     Code = "MRTR002"
	CodeRoots        Code = "MRTR003"
	CodeNoEquivalent Code = "MRTR005"
	CodeFailOpen     Code = "MRTR010"
	CodeEffectBefore Code = "MRTR011"
	CodeOrder        Code = "MRTR013"
	CodeGoroutine    Code = "MRTR014"
)

// A Severity says how bad a finding is.
type Severity string

// Severities. Error means that the program is unsafe or broken on a
// 2026-07-28 peer.
const (
	Error   Severity = "error"
	Warning Severity = "warning"
	Note    Severity = "note"
)

// askCode is the code of an ask of a kind.
func askCode(k Kind) Code {
	switch k {
	case Sampling:
		return CodeSampling
	case Roots:
		return CodeRoots
	}
	return CodeElicitation
}
