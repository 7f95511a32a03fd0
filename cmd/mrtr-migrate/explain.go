package main

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/mrtr-migrate/mrtr-migrate/analyzer"
	"github.com/mrtr-migrate/mrtr-migrate/rewrite"
	"github.com/mrtr-migrate/mrtr-migrate/shim"
)

func newExplainCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "explain [CODE ...]",
		Short: "Print what a code means and what to do about it",
		Long: `Explain prints the page of each code: those that lint reports, those in the
comments that rewrite leaves, and those that the run time of a migrated server
logs or answers with. Without a code it lists them all.`,
		Example:           "  mrtr-migrate explain MRTR010 MRTR1001",
		ValidArgsFunction: cobra.FixedCompletions(codes(), cobra.ShellCompDirectiveNoFileComp),
		RunE: func(cmd *cobra.Command, args []string) error {
			out := cmd.OutOrStdout()
			if len(args) == 0 {
				listCodes(out)
				return nil
			}
			for i, code := range args {
				if i > 0 {
					fmt.Fprintln(out)
				}
				if err := explain(out, strings.ToUpper(code)); err != nil {
					return err
				}
			}
			return nil
		},
	}
}

// codes returns all codes, those of the linter first.
func codes() []string {
	var list []string
	for _, r := range analyzer.Rules() {
		list = append(list, string(r.Code))
	}
	for _, d := range rewrite.Diagnostics() {
		list = append(list, d.Code)
	}
	for _, d := range shim.Diagnostics() {
		list = append(list, string(d.Code))
	}
	return list
}

func listCodes(w io.Writer) {
	for _, r := range analyzer.Rules() {
		fmt.Fprintf(w, "%-9s %-8s %s\n", r.Code, r.Severity, r.Title)
	}
	for _, d := range rewrite.Diagnostics() {
		fmt.Fprintf(w, "%-9s %-8s %s\n", d.Code, "rewrite", d.Title)
	}
	for _, d := range shim.Diagnostics() {
		fmt.Fprintf(w, "%-9s %-8s %s\n", d.Code, "run time", d.Title)
	}
}

// explain prints the page of one code.
func explain(w io.Writer, code string) error {
	if r, ok := analyzer.RuleOf(analyzer.Code(code)); ok {
		fmt.Fprintf(w, "%s (%s): %s\n", r.Code, r.Severity, r.Title)
		section(w, "", r.What)
		section(w, "", r.Why)
		section(w, "Reported:", indent(r.Fires))
		section(w, "Not reported:", indent(r.Silent))
		section(w, "What to do:", r.Do)
		return nil
	}
	for _, d := range rewrite.Diagnostics() {
		if d.Code == code {
			fmt.Fprintf(w, "%s (rewrite): %s\n", d.Code, d.Title)
			section(w, "", d.Meaning)
			section(w, "What to do:", d.Do)
			return nil
		}
	}
	for _, d := range shim.Diagnostics() {
		if string(d.Code) == code {
			fmt.Fprintf(w, "%s (run time): %s\n", d.Code, d.Title)
			section(w, "", wrap(d.Meaning))
			section(w, "What to do:", wrap(d.Do))
			return nil
		}
	}
	if near := nearest(code); len(near) > 0 {
		return fmt.Errorf("there is no code %s; the nearest: %s (mrtr-migrate explain lists all)", code, strings.Join(near, ", "))
	}
	return fmt.Errorf("there is no code %s: codes are like %s (mrtr-migrate explain lists all)", code, analyzer.CodeElicitation)
}

// section prints a paragraph with its heading, nothing if it is empty.
func section(w io.Writer, heading, text string) {
	if text = strings.Trim(text, "\n"); text == "" {
		return
	}
	fmt.Fprintln(w)
	if heading != "" {
		fmt.Fprintln(w, heading)
	}
	fmt.Fprintln(w, text)
}

// wrap breaks a paragraph into lines of at most 80 characters.
func wrap(text string) string {
	const width = 80
	var b strings.Builder
	at := 0
	for _, word := range strings.Fields(text) {
		n := utf8.RuneCountInString(word)
		switch {
		case at == 0:
		case at+1+n > width:
			b.WriteByte('\n')
			at = 0
		default:
			b.WriteByte(' ')
			at++
		}
		b.WriteString(word)
		at += n
	}
	return b.String()
}

func indent(code string) string {
	var b strings.Builder
	for line := range strings.Lines(strings.Trim(code, "\n")) {
		if strings.TrimSpace(line) != "" {
			b.WriteByte('\t')
		}
		b.WriteString(line)
	}
	return b.String()
}

// nearest returns the codes that share the longest end with what was asked for:
// people mistype the prefix, and leave out zeros. There are none if nothing is
// shared.
func nearest(code string) (list []string) {
	shared := func(c string) (n int) {
		for n < len(c) && n < len(code) && c[len(c)-1-n] == code[len(code)-1-n] {
			n++
		}
		return n
	}
	longest := 1
	for _, c := range codes() {
		switch n := shared(c); {
		case n > longest:
			list, longest = []string{c}, n
		case n == longest:
			list = append(list, c)
		}
	}
	return list
}
