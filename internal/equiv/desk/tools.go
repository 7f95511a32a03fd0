package desk

import (
	"github.com/mrtr-migrate/mrtr-migrate/internal/equiv"
)

func listMachines() []*equiv.Script {
	return scripts("list_machines", tool("list_machines", map[string]any{}),
		script{name: "plain"},
	)
}

func archiveCustomer() []*equiv.Script {
	refused := fill("confirm", "certainly").Voided(equiv.RefusedAskedAgain)
	return scripts("archive_customer", tool("archive_customer", map[string]any{"customer": "acme"}),
		script{name: "accept", answers: answers(yes())},
		script{name: "accept with no", answers: answers(no())},
		script{name: "decline", answers: answers(equiv.Decline())},
		script{name: "cancel", answers: answers(equiv.Cancel())},
		script{name: "cancel with null content", answers: answers(cancelNull())},
		script{name: "refused, then accept", answers: answers(refused, yes())},
		script{name: "refused, then decline", answers: answers(refused, equiv.Decline())},
		script{name: "refused again and again", answers: answers(refused, refused, refused)},
		script{name: "empty, then accept", answers: answers(equiv.AcceptEmpty().Voided(equiv.EmptyAskedAgain), yes())},
		script{name: "client fails", answers: answers(gone())},
		script{name: "client cannot", change: without("elicitation")},
		script{name: "no such customer", change: func(s *equiv.Script) {
			s.Call = tool("archive_customer", map[string]any{"customer": "nobody"})
		}},
	)
}

func transferCustomer() []*equiv.Script {
	return scripts("transfer_customer", tool("transfer_customer", map[string]any{"customer": "acme", "to": "Mika"}),
		script{name: "accept", answers: answers(fill("note", "from March on"))},
		script{name: "accept without a note", answers: answers(fill())},
		script{name: "accept without content", answers: answers(equiv.AcceptEmpty())},
		script{name: "decline", answers: answers(equiv.Decline())},
		script{name: "cancel", answers: answers(equiv.Cancel())},
		script{name: "client cannot", change: without("elicitation")},
	)
}

func scheduleMaintenance() []*equiv.Script {
	return scripts("schedule_maintenance", tool("schedule_maintenance", map[string]any{"machine": "web-1"}),
		script{name: "accept", answers: answers(fill("day", "sunday", "hours", 3), fill("engineer", "mika"))},
		script{name: "accept with the default", answers: answers(fill("day", "saturday"), fill("engineer", "tom"))},
		script{name: "decline the window", answers: answers(equiv.Decline())},
		script{name: "decline the engineer", answers: answers(fill("day", "saturday"), equiv.Decline())},
		script{name: "cancel the engineer", answers: answers(fill("day", "saturday"), equiv.Cancel())},
		script{name: "refused, then accept", answers: answers(
			fill("day", "sunday", "hours", 99).About("When").Voided(equiv.RefusedAskedAgain),
			fill("day", "sunday", "hours", 8).About("When"),
			fill("engineer", "ines").About("who does it").Voided(equiv.RefusedAskedAgain),
			fill("engineer", "mika").About("who does it"),
		)},
		script{name: "client fails at the second", answers: answers(fill("day", "saturday"), gone())},
	)
}

func releaseApp() []*equiv.Script {
	newer := equiv.Change{Before: 1, Do: func(dir string) error {
		return write(dir, "apps", map[string]any{"id": "shop", "version": "2.0.2"})
	}}
	frozen := equiv.Change{Before: 1, Do: func(dir string) error {
		return write(dir, "apps", map[string]any{"id": "shop", "version": "2.0.1", "frozen": true})
	}}
	return scripts("release_app", tool("release_app", map[string]any{"app": "shop", "version": "2.1.0"}),
		script{name: "accept", answers: answers(yes())},
		script{name: "decline", answers: answers(equiv.Decline())},
		script{name: "cancel", answers: answers(equiv.Cancel())},
		script{name: "accept a frozen one", answers: answers(yes()), change: func(s *equiv.Script) {
			s.Call = tool("release_app", map[string]any{"app": "billing", "version": "1.3.1"})
		}},
		script{name: "somebody else releases", answers: answers(yes().Voided(equiv.RewordedAskedAgain), yes()), change: func(s *equiv.Script) {
			s.Changes = append(s.Changes, newer)
		}},
		script{name: "frozen meanwhile, then decline", answers: answers(yes().Voided(equiv.RewordedAskedAgain), equiv.Decline()), change: func(s *equiv.Script) {
			s.Changes = append(s.Changes, frozen)
		}},
		script{name: "client fails", answers: answers(gone())},
	)
}

func retireMachine() []*equiv.Script {
	retire := func(a equiv.Answer) equiv.Answer { return a.About("Retire") }
	erase := func(a equiv.Answer) equiv.Answer { return a.About("Erase") }
	save := func(a equiv.Answer) equiv.Answer { return a.About("last backup") }
	void := func(a equiv.Answer) equiv.Answer { return a.Voided(equiv.RewordedAskedAgain) }
	larger := func(before int) func(*equiv.Script) {
		return func(s *equiv.Script) {
			s.Changes = append(s.Changes, equiv.Change{Before: before, Do: func(dir string) error {
				return write(dir, "machines", map[string]any{"id": "web-1", "role": "web", "disk": 500})
			}})
		}
	}
	return scripts("retire_machine", tool("retire_machine", map[string]any{"machine": "web-1"}),
		script{name: "accept, erase, save", answers: answers(retire(yes()), erase(yes()), save(yes()))},
		script{name: "accept, erase, do not save", answers: answers(retire(yes()), erase(yes()), save(equiv.Decline()))},
		script{name: "accept, keep the disk", answers: answers(retire(yes()), erase(no()))},
		script{name: "accept, then cancel", answers: answers(retire(yes()), erase(equiv.Cancel()))},
		script{name: "decline", answers: answers(retire(equiv.Decline()))},
		script{name: "accept, has no disk", answers: answers(yes()), change: func(s *equiv.Script) {
			s.Call = tool("retire_machine", map[string]any{"machine": "mail-1"})
		}},
		script{name: "client fails at the second", answers: answers(yes(), gone())},
		// What was approved has changed, so the approval is asked for again,
		// and everything that was answered after it.
		script{name: "disk grows at the second", change: larger(2), answers: answers(
			void(retire(yes())), void(erase(no())), retire(yes()), erase(yes()), save(no()))},
		script{name: "disk grows at the third", change: larger(3), answers: answers(
			void(retire(yes())), void(erase(yes())), void(save(no())), retire(yes()), erase(yes()), save(yes()))},
	)
}

func payInvoice() []*equiv.Script {
	small := func(s *equiv.Script) { s.Call = tool("pay_invoice", map[string]any{"invoice": "R-100"}) }
	return scripts("pay_invoice", tool("pay_invoice", map[string]any{"invoice": "R-200"}),
		script{name: "accept", answers: answers(fill("costCentre", "hosting"))},
		script{name: "decline", answers: answers(equiv.Decline())},
		script{name: "cancel", answers: answers(equiv.Cancel())},
		script{name: "too small to ask", change: small},
		script{name: "refused, then accept", answers: answers(
			fill("costCentre", "x").Voided(equiv.RefusedAskedAgain), fill("costCentre", "hosting"))},
		script{name: "unknown field", answers: answers(fill("costCentre", "hosting", "tip", 5))},
		script{name: "client cannot", change: without("elicitation")},
		script{name: "client cannot, too small to ask", change: func(s *equiv.Script) {
			small(s)
			without("elicitation")(s)
		}},
	)
}

func pruneBackups() []*equiv.Script {
	shrink := func(before int, id string) func(*equiv.Script) {
		return func(s *equiv.Script) {
			s.Changes = append(s.Changes, equiv.Change{Before: before, Do: remove("backups", id)})
		}
	}
	return scripts("prune_backups", tool("prune_backups", map[string]any{"machine": "web-1"}),
		script{name: "accept all", answers: answers(yes(), yes(), yes())},
		script{name: "accept, decline, accept", answers: answers(yes(), equiv.Decline(), yes())},
		script{name: "decline all", answers: answers(equiv.Decline(), no(), equiv.Decline())},
		script{name: "cancel at the second", answers: answers(yes(), equiv.Cancel())},
		script{name: "list shrinks, accept then decline", answers: answers(yes(), equiv.Decline(), equiv.Decline()), change: shrink(1, "web-1-a")},
		script{name: "list shrinks at the second", answers: answers(equiv.Decline(), yes(), equiv.Decline()), change: shrink(2, "web-1-b")},
		script{name: "nothing to prune", change: func(s *equiv.Script) {
			s.Call = tool("prune_backups", map[string]any{"machine": "db-1"})
		}},
	)
}

func suspendAccount() []*equiv.Script {
	return scripts("suspend_account", tool("suspend_account", map[string]any{"account": "bob"}),
		script{name: "accept", answers: answers(fill("agree", true))},
		script{name: "accept with no", answers: answers(fill("agree", false))},
		script{name: "decline", answers: answers(equiv.Decline())},
		script{name: "cancel", answers: answers(equiv.Cancel())},
		script{name: "client fails", answers: answers(gone())},
		script{name: "client cannot", change: without("elicitation")},
	)
}

// grantAccess has another way for clients that cannot be asked: it is taken on
// both revisions, with the same words, and only for them.
func grantAccess() []*equiv.Script {
	return scripts("grant_access", tool("grant_access", map[string]any{"account": "bob", "machine": "web-1"}),
		script{name: "accept", answers: answers(yes())},
		script{name: "decline", answers: answers(equiv.Decline())},
		script{name: "cancel", answers: answers(equiv.Cancel())},
		script{name: "client fails", answers: answers(gone())},
		script{name: "client cannot", change: without("elicitation")},
	)
}

func registerWorkspaces() []*equiv.Script {
	return scripts("register_workspaces", tool("register_workspaces", map[string]any{}),
		script{name: "two folders", answers: answers(equiv.Roots("file:///home/ines/shop", "https://example.com/", "file:///srv/data"))},
		script{name: "no folder", answers: answers(equiv.Roots())},
		script{name: "client fails", answers: answers(gone())},
		script{name: "client cannot", change: func(s *equiv.Script) {
			without("roots")(s)
			// Why not is the client's own wording on the old revision.
			s.Masks = []string{`listing your folders: ([^"\\]|\\.)*`}
		}},
	)
}

func summariseIncident() []*equiv.Script {
	picture := equiv.Answer{Result: []byte(`{"role":"assistant","model":"script","content":{"type":"image","data":"aGk=","mimeType":"image/png"}}`)}
	return scripts("summarise_incident", tool("summarise_incident", map[string]any{"incident": "INC-7"}),
		script{name: "summary", answers: answers(equiv.Sampled("The disk was full. It is not any more."))},
		script{name: "picture", answers: answers(picture)},
		script{name: "user rejects", answers: answers(equiv.Fail(-1, "User rejected sampling request"))},
		script{name: "client cannot", change: func(s *equiv.Script) {
			without("sampling")(s)
			s.Masks = []string{`no summary: ([^"\\]|\\.)*`}
		}},
		script{name: "no such incident", change: func(s *equiv.Script) {
			s.Call = tool("summarise_incident", map[string]any{"incident": "INC-0"})
		}},
	)
}

func provisionMachine() []*equiv.Script {
	// Each run may start another machine, so its number is not compared.
	fresh := func(s *equiv.Script) {
		s.EffectFirst = true
		s.Masks = []string{`cache-[0-9]+`}
	}
	list := scripts("provision_machine", tool("provision_machine", map[string]any{"role": "cache"}),
		script{name: "accept", answers: answers(fill("gigabytes", 40))},
		script{name: "decline", answers: answers(equiv.Decline())},
		script{name: "cancel", answers: answers(equiv.Cancel())},
		script{name: "refused, then accept", answers: answers(
			fill("gigabytes", 5).Voided(equiv.RefusedAskedAgain), fill("gigabytes", 10))},
		script{name: "empty, then accept", answers: answers(
			equiv.AcceptEmpty().Voided(equiv.EmptyAskedAgain), fill("gigabytes", 2000))},
		script{name: "client fails", answers: answers(gone())},
	)
	for _, s := range list {
		fresh(s)
	}
	return list
}

func flushCache() []*equiv.Script {
	return scripts("flush_cache", tool("flush_cache", map[string]any{"region": "eu"}),
		script{name: "accept", answers: answers(yes())},
		script{name: "decline", answers: answers(equiv.Decline())},
		script{name: "cancel", answers: answers(equiv.Cancel())},
		script{name: "client fails", answers: answers(gone()), change: func(s *equiv.Script) { s.FailOpen = true }},
		script{name: "client cannot", change: func(s *equiv.Script) {
			without("elicitation")(s)
			s.FailOpen = true
		}},
	)
}

func pageOnCall() []*equiv.Script {
	list := scripts("page_oncall", tool("page_oncall", map[string]any{"why": "The shop is down"}),
		script{name: "accept", answers: answers(yes())},
		script{name: "decline", answers: answers(equiv.Decline())},
	)
	for _, s := range list {
		s.Manual = true
	}
	return list
}
