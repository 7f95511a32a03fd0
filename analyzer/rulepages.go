package analyzer

// whyAsk is why an ask of any kind has to go.
const whyAsk = `Since revision 2026-07-28 a server sends no requests to its client. The call
compiles, and fails only when a client of that revision is there: as an error
of the tool if the handler returns it, as nothing at all if the handler
swallows it. What a server needs to know it has to put into the result of the
request (InputRequiredResult); the client sends the request again with the
answers. Only tools/call, prompts/get and resources/read can do that.`

// doAsk is what to do about an ask of any kind.
const doAsk = `Run "mrtr-migrate rewrite ./..." and look at the diff. It puts a lookup in the
call's place and a check after it and after each call that leads there, so the
handler ends the round if the answer is not there yet. Clients of older
revisions are still asked directly.

If the call is right as it is (only older clients get there), say so on the
line before it:

	//lint:ignore MRTR001 only older clients get here

No caller in another package hears of a question that is ignored like this.`

var rules = []Rule{
	{
		Code:     CodeUnused,
		Title:    "a directive that suppresses nothing",
		Severity: Warning,
		What: `A comment //lint:ignore or //lint:file-ignore names one of our codes, but
nothing of that code is reported there, or it gives no reason.`,
		Why: `It was right once. Left behind, it hides the next finding on that line.`,
		Fires: `
//lint:ignore MRTR003 older clients only
_, err := req.Session.Elicit(ctx, params) // an MRTR001
`,
		Silent: `
//lint:ignore MRTR001 older clients only
_, err := req.Session.Elicit(ctx, params)
`,
		Do: `Remove the directive, correct its code, or give a reason after the code.`,
	},
	{
		Code:     CodeElicitation,
		Title:    "an elicitation that waits for its answer",
		Severity: Error,
		What: `A call sends elicitation/create to the client and waits. It is found by type,
however the session gets there: as a method value, embedded, behind an
interface that a session satisfies, in helpers of this and other packages. The
message names the handlers that reach it and the functions between. Where the
handler and the question are in different packages, both places are reported:
the question, and the call that leads to it.`,
		Why: whyAsk,
		Fires: `
func archive(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	res, err := req.Session.Elicit(ctx, &mcp.ElicitParams{Message: "Archive?"})
	...
}
`,
		Silent: `
// A type of your own with a method of that name.
res, err := survey.Elicit(ctx, question)

// Migrated.
res, err := mrtr.Elicit(ctx, req.Session, "archive", &mcp.ElicitParams{Message: "Archive?"})
`,
		Do: doAsk,
	},
	{
		Code:     CodeSampling,
		Title:    "a sampling call that waits for its answer",
		Severity: Error,
		What: `A call sends sampling/createMessage to the client and waits for what its model
says. It is found like an elicitation: see MRTR001.`,
		Why: whyAsk,
		Fires: `
res, err := req.Session.CreateMessage(ctx, &mcp.CreateMessageParams{Messages: messages})
`,
		Silent: `
// The client of a model has nothing to do with the protocol.
res, err := llm.CreateMessage(ctx, prompt)
`,
		Do: doAsk + `

Sampling is deprecated from revision 2026-07-28 on: a server that has a model
of its own at hand can ask that one instead.`,
	},
	{
		Code:     CodeRoots,
		Title:    "a request for the client's roots that waits for its answer",
		Severity: Error,
		What: `A call sends roots/list to the client and waits for its folders. It is found
like an elicitation: see MRTR001.`,
		Why: whyAsk,
		Fires: `
roots, err := req.Session.ListRoots(ctx, &mcp.ListRootsParams{})
`,
		Silent: `
roots := tree.ListRoots()
`,
		Do: doAsk + `

Roots are deprecated from revision 2026-07-28 on: consider a parameter of the
tool, or a setting of the server.`,
	},
	{
		Code:     CodeNoEquivalent,
		Title:    "a question that multi round-trip requests cannot ask",
		Severity: Error,
		What: `A question is asked where no result of tools/call, prompts/get or
resources/read can carry it: while serving a notification (initialized, roots
changed) or another request, before any request (main, init), or on a goroutine
or timer for which the handler does not wait. The message says which.

If only some of the ways to a question are like this, it is reported beside the
question's own code.`,
		Why: `There is no request whose result could become an InputRequiredResult, so a
2026-07-28 client can never be asked there. No rewrite can change that.`,
		Fires: `
opts := &mcp.ServerOptions{
	InitializedHandler: func(ctx context.Context, req *mcp.InitializedRequest) {
		roots, _ := req.Session.ListRoots(ctx, nil)
		...
	},
}
`,
		Silent: `
// The handler waits for its goroutine: that is an MRTR014 only.
answers := make(chan *mcp.ElicitResult, 1)
go func() { res, _ := req.Session.Elicit(ctx, params); answers <- res }()
res := <-answers
`,
		Do: `Ask later, in the first handler that needs the answer, and keep the answer in
what the client passes on; or take it from a parameter or a setting; or leave
the feature to clients of older revisions.`,
	},
	{
		Code:     CodeFailOpen,
		Title:    "fail-open: after a failed question the handler goes on as though it were answered",
		Severity: Error,
		What: `Some answer keeps an effect from happening, so the question guards it. But if
the question fails (the client cannot be asked, the connection is gone), the
effect happens all the same, as after "accept". The failure may be swallowed
right there or in a helper, in this or another package: the message names the
question, the place that swallows, and the effect.

A fallback that no answer would prevent is not reported, nor one about which
something else than the answer decides after the failure, such as a setting.`,
		Why: `On a 2026-07-28 client the old call always fails. Public servers ran
destructive work unconfirmed because of this.`,
		Fires: `
res, err := req.Session.Elicit(ctx, params)
if err != nil {
	log.Print("cannot ask: ", err)
} else if res.Action != "accept" {
	return declined, nil
}
return done, os.RemoveAll(dir)
`,
		Silent: `
res, err := req.Session.Elicit(ctx, params)
if err != nil {
	return nil, err
}
if res.Action != "accept" {
	return declined, nil
}
return done, os.RemoveAll(dir)
`,
		Do: `Return the error, or treat it like "decline". If some clients must be served
without confirmation, let a setting decide that, not the failure.`,
	},
	{
		Code:     CodeEffectBefore,
		Title:    "an effect before a question",
		Severity: Error,
		What: `Something that outlives the request is changed (a file, a database, a process,
a message sent, memory behind the receiver), and the function may still ask
after it. Effects are known for the standard library, found in the bodies of
your own module's functions, and guessed for other code from names such as
CreateOrder that can return an error. Logging, printing and reading are no
effects. Both positions are named.`,
		Why: `With multi round-trip requests the handler runs again from the top each time
the client comes back with answers. Whatever stands before a question happens
again each round: two machines are created, two mails are sent.`,
		Fires: `
machine, err := store.CreateMachine(role)
...
res, err := req.Session.Elicit(ctx, &mcp.ElicitParams{Message: "Disk for " + machine.ID + "?"})
`,
		Silent: `
res, err := req.Session.Elicit(ctx, &mcp.ElicitParams{Message: "Disk for the new machine?"})
...
machine, err := store.CreateMachine(role)
`,
		Do: `Ask first. If the question needs what the effect returns, let the runtime
remember it: the effect runs in one round, the others get its result.

	machine, err := mrtr.Once(ctx, "machine", func(ctx context.Context) (*Machine, error) {
		return store.CreateMachine(role)
	})`,
	},
	{
		Code:     CodeOrder,
		Title:    "questions in an order that is left to chance",
		Severity: Error,
		What: `A question is asked within a range over a map (or over maps.Keys, Values or
All), or in a case of a select.`,
		Why: `Each round runs the handler again, and must meet the same questions in the same
order to find their answers. The order of a map differs from run to run: the
answer to one question would be looked for under another, so it would be asked
again, or not at all.`,
		Fires: `
for room := range rooms {
	res, err := req.Session.Elicit(ctx, &mcp.ElicitParams{Message: "Close " + room + "?"})
	...
}
`,
		Silent: `
for _, room := range slices.Sorted(maps.Keys(rooms)) {
	res, err := req.Session.Elicit(ctx, &mcp.ElicitParams{Message: "Close " + room + "?"})
	...
}
`,
		Do: `Sort first. Take what a select waits for out of the question's way.`,
	},
	{
		Code:     CodeGoroutine,
		Title:    "a question on a goroutine of its own",
		Severity: Warning,
		What: `The handler, or a helper, starts a goroutine that asks, and waits for it
through a channel or a group.`,
		Why: `A round ends as soon as the handler returns. What a goroutine asks after that
is lost, and where several ask at once, their order differs from round to
round.`,
		Fires: `
go func() {
	res, err := req.Session.Elicit(ctx, params)
	answers <- res
}()
select {
case res := <-answers:
	...
case <-time.After(time.Minute):
	...
}
`,
		Silent: `
res, err := req.Session.Elicit(ctx, params)
`,
		Do: `Ask on the handler's own goroutine. A timeout around a person's answer has no
counterpart: the client decides when it comes back, and the question expires
with the state that it carries.`,
	},
}
