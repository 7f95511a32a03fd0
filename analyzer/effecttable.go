package analyzer

import (
	"go/ast"
	"go/constant"
	"go/types"
	"strings"
	"unicode"
)

// This file holds what is known of effects by name.

// standardEffects are the functions of the standard library, by package and
// receiver, whose effects must not be repeated. What is not listed has none:
// it computes, reads, waits or logs.
var standardEffects = map[[2]string]string{
	{"os", ""}: "Chmod Chown Create CreateTemp Lchown Link MkdirTemp OpenFile Remove RemoveAll Rename " +
		"Setenv StartProcess Symlink Truncate Unsetenv WriteFile Mkdir CopyFS",
	{"os", "File"}:    "Chmod Chown ReadFrom Truncate Write WriteAt WriteString",
	{"os", "Process"}: "Kill Signal",
	{"os", "Root"}:    "Chmod Create Link Mkdir OpenFile Remove RemoveAll Rename Symlink WriteFile",

	{"os/exec", "Cmd"}: "CombinedOutput Output Run Start",

	{"net", "Conn"}:    "Write",
	{"net", "TCPConn"}: "Write",
	{"net", "UDPConn"}: "Write WriteTo WriteToUDP",

	{"net/http", ""}:          "Post PostForm",
	{"net/http", "Client"}:    "Do Post PostForm",
	{"net/http", "Transport"}: "RoundTrip",
	{"net/rpc", "Client"}:     "Call Go",
	{"net/smtp", ""}:          "SendMail",
	{"net/smtp", "Client"}:    "Mail Rcpt Data",

	{"database/sql", "DB"}:   "Exec ExecContext",
	{"database/sql", "Conn"}: "ExecContext",
	{"database/sql", "Tx"}:   "Exec ExecContext Commit",
	{"database/sql", "Stmt"}: "Exec ExecContext",

	{"syscall", ""}:   "Exec Kill Mkdir Rename Rmdir Unlink Write",
	{"io/ioutil", ""}: "WriteFile TempDir TempFile",
}

// standardMutations are functions that change what their receiver (0) or a
// parameter leads to, in a way that adds up.
var standardMutations = map[[2]string]map[string]uint64{
	{"sync/atomic", ""}:        {"AddInt32": 2, "AddInt64": 2, "AddUint32": 2, "AddUint64": 2},
	{"sync/atomic", "Int32"}:   {"Add": 1},
	{"sync/atomic", "Int64"}:   {"Add": 1},
	{"sync/atomic", "Uint32"}:  {"Add": 1},
	{"sync/atomic", "Uint64"}:  {"Add": 1},
	{"container/list", "List"}: {"PushBack": 1, "PushFront": 1, "Remove": 1},
	{"container/heap", ""}:     {"Push": 2, "Pop": 2},
	{"bytes", "Buffer"}:        {"Write": 1, "WriteString": 1, "WriteByte": 1, "WriteRune": 1},
	{"strings", "Builder"}:     {"Write": 1, "WriteString": 1, "WriteByte": 1, "WriteRune": 1},
}

// sdkEffects are functions of the SDKs that change something elsewhere.
var sdkEffects = map[funcName]bool{
	{gosdk, "ClientSession", "CallTool"}:                            true,
	{"github.com/mark3labs/mcp-go/client", "Client", "CallTool"}:    true,
	{"github.com/mark3labs/mcp-go/client", "MCPClient", "CallTool"}: true,
}

// tableEffect looks a function up. The second result is false if the table
// says nothing about its package.
func tableEffect(info *types.Info, fn *types.Func, call *ast.CallExpr) (HasEffect, bool) {
	name := nameOf(fn)
	if sdkEffects[name] {
		return HasEffect{What: foreignTitle(fn)}, true
	}
	if isSDKPath(name.pkg) {
		return HasEffect{}, true
	}
	if !isStandard(name.pkg) {
		return HasEffect{}, false
	}
	key := [2]string{name.pkg, name.recv}
	e := HasEffect{Mutates: standardMutations[key][name.name]}
	if !hasWord(standardEffects[key], name.name) {
		if writesSQL(info, call) {
			e.What = foreignTitle(fn)
		}
		return e, true
	}
	if readsOnly(info, name, call) {
		return e, true
	}
	e.What = foreignTitle(fn)
	return e, true
}

// hasWord reports whether a list of words, separated by blanks, has a word.
func hasWord(list, word string) bool {
	for w := range strings.FieldsSeq(list) {
		if w == word {
			return true
		}
	}
	return false
}

// readsOnly reports whether the arguments of a call show that it only reads: a
// file opened for reading, an HTTP request made with GET.
func readsOnly(info *types.Info, name funcName, call *ast.CallExpr) bool {
	switch {
	case name.pkg == "os" && name.name == "OpenFile" && len(call.Args) == 3:
		v := info.Types[call.Args[1]].Value
		return v != nil && v.ExactString() == "0"
	case name == (funcName{"net/http", "Client", "Do"}) && len(call.Args) == 1:
		return requestMethod(info, call.Args[0]) == "GET"
	case name.pkg == "os/exec":
		return readingCommand(info, call)
	}
	return false
}

// readingCommands are commands that only read, with the subcommands of which
// that is true ("*" for all).
var readingCommands = map[string]string{
	"git": "blame branch cat-file check-ignore describe diff for-each-ref grep log ls-files ls-remote ls-tree " +
		"merge-base rev-list rev-parse show status symbolic-ref version",
	"cat": "*", "df": "*", "du": "*", "hostname": "*", "id": "*", "ls": "*", "ps": "*", "uname": "*",
	"uptime": "*", "which": "*", "whoami": "*",
}

// readingCommand reports whether the command that a call runs is known, by
// constant arguments near by, to read only.
func readingCommand(info *types.Info, call *ast.CallExpr) bool {
	sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok {
		return false
	}
	made, ok := ast.Unparen(sel.X).(*ast.CallExpr)
	if !ok {
		if made = onlyCall(info, sel.X, func(fn *types.Func) bool {
			return pathOf(fn) == "os/exec" && strings.HasPrefix(fn.Name(), "Command")
		}); made == nil {
			return false
		}
	}
	var words []string
	folder := false // the argument before was -C
	for _, arg := range made.Args {
		v := info.Types[arg].Value
		if v == nil || v.Kind() != constant.String || folder {
			folder = false
			continue
		}
		w := constant.StringVal(v)
		folder = w == "-C"
		if !strings.HasPrefix(w, "-") {
			words = append(words, w)
		}
	}
	if len(words) == 0 {
		return false
	}
	subs := readingCommands[words[0]]
	return subs == "*" || len(words) > 1 && hasWord(subs, words[1])
}

// onlyCall returns the call of a function like ok in the scope of a variable,
// nil if there is none or more than one.
func onlyCall(info *types.Info, e ast.Expr, ok func(*types.Func) bool) *ast.CallExpr {
	id, isIdent := ast.Unparen(e).(*ast.Ident)
	if !isIdent || info.Uses[id] == nil || info.Uses[id].Parent() == nil {
		return nil
	}
	scope := info.Uses[id].Parent()
	var found *ast.CallExpr
	n := 0
	for expr := range info.Types {
		if c, isCall := expr.(*ast.CallExpr); isCall && scope.Contains(c.Pos()) {
			if fn, isFunc := calleeOf(info, c).(*types.Func); isFunc && ok(fn) {
				found = c
				n++
			}
		}
	}
	if n != 1 {
		return nil
	}
	return found
}

// requestMethod returns the constant method of the request in a variable, ""
// if it cannot be seen.
func requestMethod(info *types.Info, e ast.Expr) string {
	made := onlyCall(info, e, func(fn *types.Func) bool {
		return pathOf(fn) == "net/http" && strings.HasPrefix(fn.Name(), "NewRequest")
	})
	if made == nil {
		return ""
	}
	i := 0
	if fn, _ := calleeOf(info, made).(*types.Func); fn.Name() == "NewRequestWithContext" {
		i = 1
	}
	v := info.Types[made.Args[i]].Value
	if v == nil || v.Kind() != constant.String {
		return ""
	}
	if m := constant.StringVal(v); m != "" && m != "HEAD" {
		return m
	}
	return "GET"
}

// verbs are what the names of functions with effects begin with. They are used
// for code whose body is not analysed (interfaces, other modules), and only if
// the function can fail: what changes the world can, what computes seldom.
var verbs = func() map[string]bool {
	m := make(map[string]bool)
	for v := range strings.FieldsSeq(`
		approve archive assign attach book cancel charge commit create delete deploy destroy detach disable
		drain drop emit enable enqueue exec execute flush grant insert install invoke kill merge move
		patch pay post provision publish purge push put refund release remove rename reset restart restore
		revoke rollback save scale schedule send start stop store submit suspend terminate transfer trigger
		uninstall update upload upsert wipe write`) {
		m[v] = true
	}
	return m
}()

// nouns are verbs that also name things: StoreGet gets from a store.
var nouns = map[string]bool{
	"book": true, "charge": true, "lock": true, "post": true, "release": true, "schedule": true, "store": true,
}

// reads reports whether a name has a word that says that it only reads.
func reads(name string) bool {
	for _, word := range []string{"Get", "List", "Find", "Load", "Read", "Fetch", "Query", "Count", "Exists"} {
		if strings.Contains(name, word) {
			return true
		}
	}
	return false
}

// guessEffect judges a function by its name.
func guessEffect(info *types.Info, fn *types.Func, call *ast.CallExpr) HasEffect {
	if !returnsError(fn) {
		return HasEffect{}
	}
	if word := firstWord(fn.Name()); verbs[word] && !(nouns[word] && reads(fn.Name())) || writesSQL(info, call) {
		return HasEffect{What: foreignTitle(fn)}
	}
	return HasEffect{}
}

// returnsError reports whether the last result of a function is an error.
func returnsError(fn *types.Func) bool {
	if fn == nil {
		return false
	}
	results := fn.Signature().Results()
	if results.Len() == 0 {
		return false
	}
	return isError(results.At(results.Len() - 1).Type())
}

// isError reports whether t is the predeclared type error.
func isError(t types.Type) bool {
	return t != nil && types.Identical(t, types.Universe.Lookup("error").Type())
}

// firstWord returns the first word of a name in camel case, in lower case.
func firstWord(name string) string {
	for i, r := range name {
		if i > 0 && (unicode.IsUpper(r) || r == '_' || unicode.IsDigit(r)) {
			return strings.ToLower(name[:i])
		}
	}
	return strings.ToLower(name)
}

// writesSQL reports whether a constant argument of a call is a statement that
// changes a database.
func writesSQL(info *types.Info, call *ast.CallExpr) bool {
	for _, arg := range call.Args {
		v := info.Types[arg].Value
		if v == nil || v.Kind() != constant.String {
			continue
		}
		word, _, found := strings.Cut(strings.TrimSpace(constant.StringVal(v)), " ")
		switch strings.ToUpper(word) {
		case "INSERT", "UPDATE", "DELETE", "REPLACE", "MERGE", "TRUNCATE", "DROP", "ALTER":
			return found && word == strings.ToUpper(word)
		}
	}
	return false
}
