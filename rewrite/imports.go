package rewrite

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strconv"
	"strings"

	"github.com/dave/dst"
)

// importName decides under which name a file refers to a package: the name it
// already imports it under, unless a declaration hides that, else want, else
// want with a number. It does not change the file.
func importName(file *ast.File, pkg *types.Package, path, want string) (name string, present bool) {
	for _, spec := range file.Imports {
		if importPath(spec) != path || spec.Name != nil && (spec.Name.Name == "." || spec.Name.Name == "_") {
			continue
		}
		name := want
		if spec.Name != nil {
			name = spec.Name.Name
		}
		return name, true
	}
	taken := func(name string) bool {
		if pkg.Scope().Lookup(name) != nil || declaredIn(file, name) {
			return true
		}
		return slices.ContainsFunc(file.Imports, func(spec *ast.ImportSpec) bool {
			if spec.Name != nil {
				return spec.Name.Name == name
			}
			return guessName(importPath(spec)) == name
		})
	}
	name = want
	for i := 2; taken(name); i++ {
		name = want + strconv.Itoa(i)
	}
	return name, false
}

// declaredIn reports whether the file declares the name anywhere, in whatever
// scope: the import must not be hidden where it is used.
func declaredIn(file *ast.File, name string) bool {
	found := false
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			ast.Inspect(n.X, func(n ast.Node) bool {
				if id, ok := n.(*ast.Ident); ok && id.Name == name {
					found = true
				}
				return !found
			})
			return false
		case *ast.Ident:
			found = found || n.Name == name
		}
		return !found
	})
	return found
}

// guessName is the usual name of a package with this path.
func guessName(path string) string {
	parts := strings.Split(path, "/")
	last := parts[len(parts)-1]
	if len(parts) > 1 && len(last) > 1 && last[0] == 'v' && strings.Trim(last[1:], "0123456789") == "" {
		last = parts[len(parts)-2]
	}
	return last
}

func importPath(spec *ast.ImportSpec) string {
	path, err := strconv.Unquote(spec.Path.Value)
	if err != nil {
		return ""
	}
	return path
}

// addImport adds an import to a decorated file: behind the last import of the
// group whose paths share the longest prefix with it, in its place in the
// order, or in a group of its own where only the standard library is
// imported.
func addImport(tree *dst.File, path, name string) {
	spec := &dst.ImportSpec{Path: &dst.BasicLit{Kind: token.STRING, Value: strconv.Quote(path)}}
	if name != guessName(path) {
		spec.Name = dst.NewIdent(name)
	}
	tree.Imports = append(tree.Imports, spec)

	var decl *dst.GenDecl
	best, bestLen, at := -1, -1, -1
	for _, d := range tree.Decls {
		gen, ok := d.(*dst.GenDecl)
		if !ok || gen.Tok != token.IMPORT {
			continue
		}
		if len(gen.Specs) == 1 && specPath(gen.Specs[0]) == "C" {
			continue
		}
		for i, s := range gen.Specs {
			p := specPath(s)
			if std(p) != std(path) {
				continue
			}
			n := commonPrefix(p, path)
			if best < 0 || n >= bestLen {
				best, bestLen, at, decl = i, n, i, gen
			}
		}
		if decl == nil {
			decl = gen
		}
	}
	if decl == nil {
		gen := &dst.GenDecl{Tok: token.IMPORT, Specs: []dst.Spec{spec}}
		gen.Decs.Before, gen.Decs.After = dst.EmptyLine, dst.EmptyLine
		tree.Decls = append([]dst.Decl{gen}, tree.Decls...)
		return
	}
	if !decl.Lparen {
		decl.Lparen, decl.Rparen = true, true
		for _, s := range decl.Specs {
			s.Decorations().Before, s.Decorations().After = dst.NewLine, dst.NewLine
		}
	}
	if at < 0 {
		spec.Decs.Before, spec.Decs.After = dst.EmptyLine, dst.NewLine
		if std(path) {
			spec.Decs.Before, spec.Decs.After = dst.NewLine, dst.EmptyLine
			decl.Specs = append([]dst.Spec{spec}, decl.Specs...)
			return
		}
		decl.Specs = append(decl.Specs, spec)
		return
	}
	// Walk back to the start of the group, then to the place in its order.
	start := at
	for start > 0 && decl.Specs[start].Decorations().Before != dst.EmptyLine && decl.Specs[start-1].Decorations().After != dst.EmptyLine {
		start--
	}
	end := at + 1
	for end < len(decl.Specs) && decl.Specs[end].Decorations().Before != dst.EmptyLine && decl.Specs[end-1].Decorations().After != dst.EmptyLine {
		end++
	}
	i := start
	for i < end && specPath(decl.Specs[i]) < path {
		i++
	}
	spec.Decs.Before, spec.Decs.After = dst.NewLine, dst.NewLine
	if i < end {
		d := decl.Specs[i].Decorations()
		if i == start {
			spec.Decs.Before = d.Before
			d.Before = dst.NewLine
		}
	} else {
		d := decl.Specs[i-1].Decorations()
		spec.Decs.After, d.After = d.After, dst.NewLine
	}
	decl.Specs = slices.Insert(decl.Specs, i, dst.Spec(spec))
}

// dropImport removes the import of a path under a name from a decorated file.
func dropImport(tree *dst.File, path, name string) {
	for _, d := range tree.Decls {
		gen, ok := d.(*dst.GenDecl)
		if !ok || gen.Tok != token.IMPORT {
			continue
		}
		gen.Specs = slices.DeleteFunc(gen.Specs, func(s dst.Spec) bool {
			is := s.(*dst.ImportSpec)
			n := guessName(path)
			if is.Name != nil {
				n = is.Name.Name
			}
			return specPath(s) == path && n == name
		})
	}
	tree.Decls = slices.DeleteFunc(tree.Decls, func(d dst.Decl) bool {
		gen, ok := d.(*dst.GenDecl)
		return ok && gen.Tok == token.IMPORT && len(gen.Specs) == 0
	})
}

func specPath(s dst.Spec) string {
	path, err := strconv.Unquote(s.(*dst.ImportSpec).Path.Value)
	if err != nil {
		return ""
	}
	return path
}

// std reports whether a path looks like one of the standard library.
func std(path string) bool {
	first, _, _ := strings.Cut(path, "/")
	return !strings.Contains(first, ".")
}

func commonPrefix(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}
