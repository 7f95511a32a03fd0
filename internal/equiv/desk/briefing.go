package desk

import (
	"encoding/json"

	"github.com/mrtr-migrate/mrtr-migrate/internal/equiv"
	"github.com/mrtr-migrate/mrtr-migrate/shim/protocol"
)

func handover() []*equiv.Script {
	call := equiv.Call{
		Method:    protocol.MethodGetPrompt,
		Target:    "handover",
		Arguments: json.RawMessage(`{"team":"Team Blue"}`),
	}
	return scripts("handover", call,
		script{name: "accept", answers: answers(fill("shift", "late"))},
		script{name: "accept, incidents open", answers: answers(fill("shift", "night", "open", true))},
		script{name: "decline", answers: answers(equiv.Decline())},
		script{name: "cancel", answers: answers(equiv.Cancel())},
		script{name: "refused, then accept", answers: answers(
			fill("shift", "lunch").Voided(equiv.RefusedAskedAgain), fill("shift", "early"))},
		script{name: "client cannot", change: without("elicitation")},
	)
}

func payroll() []*equiv.Script {
	call := equiv.Call{Method: protocol.MethodReadResource, Target: "desk://payroll/2025-11"}
	return scripts("payroll", call,
		script{name: "accept", answers: answers(fill("reason", "annual report"))},
		script{name: "decline", answers: answers(equiv.Decline())},
		script{name: "cancel", answers: answers(equiv.Cancel())},
		script{name: "refused, then accept", answers: answers(
			fill("reason", "why").Voided(equiv.RefusedAskedAgain), fill("reason", "tax office"))},
		script{name: "client cannot", change: without("elicitation")},
	)
}
