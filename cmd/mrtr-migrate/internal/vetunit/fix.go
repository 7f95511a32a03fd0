package vetunit

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"go/ast"
	"go/format"
	"io"
	"os"
	"slices"

	"github.com/aymanbagabas/go-udiff"
	"golang.org/x/tools/go/analysis"
)

// applyFixes applies the first fix of each finding, as `go vet -fix` has it:
// the fixed files go to an archive, from which the go command writes them when
// all units are done. With -diff it prints what would change. A fix that
// conflicts with one before it is left out as a whole, and so is one that would
// edit a generated file: the error says how many.
func applyFixes(u *unit, opts *options, list []found, stdout io.Writer) error {
	files := make(map[string]*fixedFile)
	total, applied := 0, 0
	for _, f := range list {
		for _, d := range f.diagnostics {
			if len(d.SuggestedFixes) == 0 {
				continue
			}
			total++
			ok, err := u.merge(files, d.SuggestedFixes[0])
			if err != nil {
				return err
			}
			if ok {
				applied++
			}
		}
	}
	var changed []*fixedFile
	for _, f := range files {
		if err := f.finish(); err != nil {
			return err
		}
		if !bytes.Equal(f.before, f.after) {
			changed = append(changed, f)
		}
	}
	slices.SortFunc(changed, func(a, b *fixedFile) int { return bytes.Compare([]byte(a.name), []byte(b.name)) })
	if err := u.deliver(changed, opts, stdout); err != nil {
		return err
	}
	if applied < total {
		return fmt.Errorf("%s: applied %d of %d fixes: the others conflict with these or would edit generated files", u.cfg.ImportPath, applied, total)
	}
	return nil
}

// A fixedFile collects the edits of one file.
type fixedFile struct {
	name          string
	before, after []byte
	edits         []udiff.Edit
}

// merge adds the edits of a fix to those of its files, all or none.
func (u *unit) merge(files map[string]*fixedFile, fix analysis.SuggestedFix) (ok bool, err error) {
	added := make(map[string][]udiff.Edit)
	for _, e := range fix.TextEdits {
		i := slices.IndexFunc(u.files, func(f *ast.File) bool { return f.FileStart <= e.Pos && e.Pos <= f.FileEnd })
		if i < 0 || ast.IsGenerated(u.files[i]) {
			return false, nil
		}
		tf := u.fset.File(u.files[i].FileStart)
		if files[tf.Name()] == nil {
			content, err := os.ReadFile(tf.Name())
			if err != nil {
				return false, err
			}
			if len(content) != tf.Size() {
				return false, fmt.Errorf("%s has changed since it was read: run the command again", tf.Name())
			}
			files[tf.Name()] = &fixedFile{name: tf.Name(), before: content}
		}
		added[tf.Name()] = append(added[tf.Name()], udiff.Edit{
			Start: tf.Offset(e.Pos), End: tf.Offset(endOr(e.End, e.Pos)), New: string(e.NewText),
		})
	}
	for name, edits := range added {
		udiff.SortEdits(edits)
		if prev := files[name].edits; len(prev) > 0 {
			if edits, ok = udiff.Merge(prev, edits); !ok {
				return false, nil
			}
		}
		added[name] = edits
	}
	for name, edits := range added {
		files[name].edits = edits
	}
	return true, nil
}

// finish applies the edits. A file that was formatted stays so; in any other
// only what is edited changes.
func (f *fixedFile) finish() error {
	after, err := udiff.ApplyBytes(f.before, f.edits)
	if err != nil {
		return fmt.Errorf("fixing %s: %w", f.name, err)
	}
	if formatted, err := format.Source(f.before); err == nil && bytes.Equal(formatted, f.before) {
		if formatted, err = format.Source(after); err == nil {
			after = formatted
		}
	}
	f.after = after
	return nil
}

// deliver prints the changes, or puts the fixed files where the go command
// expects them: in the archive, or in their place if it does not name one.
func (u *unit) deliver(changed []*fixedFile, opts *options, stdout io.Writer) (err error) {
	switch {
	case opts.diff:
		for _, f := range changed {
			if _, err := io.WriteString(stdout, udiff.Unified(f.name+" (old)", f.name+" (new)", string(f.before), string(f.after))); err != nil {
				return err
			}
		}
		return nil
	case u.cfg.FixArchive == "":
		for _, f := range changed {
			if err := os.WriteFile(f.name, f.after, 0o666); err != nil {
				return err
			}
		}
		return nil
	}
	archive, err := os.Create(u.cfg.FixArchive)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, archive.Close()) }()
	zw := zip.NewWriter(archive)
	for _, f := range changed {
		w, err := zw.Create(f.name)
		if err != nil {
			return err
		}
		if _, err := w.Write(f.after); err != nil {
			return err
		}
	}
	return zw.Close()
}
