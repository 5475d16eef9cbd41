package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/doc"
	"go/parser"
	"go/printer"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

type docOrder struct {
	Packages []string `json:"packages"`
	Private  []string `json:"private"`
}

// documentation writes one page a package: every public name with its signature and its documentation.
func documentation(input *json.Decoder) (any, error) {
	var order docOrder
	if err := input.Decode(&order); err != nil {
		return nil, err
	}
	s, err := newSession()
	if err != nil {
		return nil, err
	}
	found, err := s.listPlain(order.Packages)
	if err != nil {
		return nil, err
	}
	pages, private := map[string]string{}, map[string]string{}
	for _, one := range found {
		page, signatures, err := packagePage(one)
		if err != nil {
			return nil, err
		}
		pages[one.ImportPath] = page
		for name, signature := range signatures {
			private[one.ImportPath+":"+name] = signature
		}
	}
	shown := map[string]string{}
	for _, name := range order.Private {
		shown[name] = private[name]
	}
	return map[string]any{"pages": pages, "private": shown}, nil
}

// listPlain is the packages of the tree themselves, without tests and without what they import.
func (s *session) listPlain(patterns []string) ([]listed, error) {
	said, _, _, err := s.command("list", append([]string{"-e", "-json=ImportPath,Name,Dir,GoFiles,Imports"}, patterns...)...)
	if err != nil {
		return nil, err
	}
	var found []listed
	decoder := json.NewDecoder(bytes.NewReader(said))
	for decoder.More() {
		var one listed
		if err := decoder.Decode(&one); err != nil {
			return nil, err
		}
		if len(one.GoFiles) > 0 {
			found = append(found, one)
		}
	}
	return found, nil
}

func listPackages(input *json.Decoder) (any, error) {
	var order docOrder
	if err := input.Decode(&order); err != nil {
		return nil, err
	}
	s, err := newSession()
	if err != nil {
		return nil, err
	}
	found, err := s.listPlain(order.Packages)
	return map[string]any{"packages": found}, err
}

func packagePage(one listed) (string, map[string]string, error) {
	files := token.NewFileSet()
	var syntax []*ast.File
	for _, name := range one.GoFiles {
		text, err := os.ReadFile(filepath.Join(one.Dir, name))
		if err != nil {
			return "", nil, err
		}
		file, err := parser.ParseFile(files, name, text, parser.ParseComments)
		if err != nil {
			return "", nil, err
		}
		bodiless(file)
		syntax = append(syntax, file)
	}
	signatures := privateSignatures(files, syntax)
	documented, err := doc.NewFromFiles(files, syntax, one.ImportPath)
	if err != nil {
		return "", nil, err
	}
	return page(documented, files), signatures, nil
}

// bodiless takes out what functions do, closures included: only signatures are specification.
func bodiless(file *ast.File) {
	for _, declared := range file.Decls {
		if function, ok := declared.(*ast.FuncDecl); ok {
			function.Body = nil
			continue
		}
		ast.Inspect(declared, func(node ast.Node) bool {
			if closure, ok := node.(*ast.FuncLit); ok {
				closure.Body = &ast.BlockStmt{}
			}
			return true
		})
	}
}

func page(p *doc.Package, files *token.FileSet) string {
	var out strings.Builder
	fmt.Fprintf(&out, "# Package `%s`\n\n`import \"%s\"`\n\n%s\n", p.Name, p.ImportPath, p.Markdown(p.Doc))
	write := func(level, title string, node any, text string) {
		if title != "" {
			fmt.Fprintf(&out, "%s %s\n\n", level, title)
		}
		fmt.Fprintf(&out, "```go\n%s\n```\n\n%s\n", printed(files, node), p.Markdown(text))
	}
	values := func(title string, all []*doc.Value) {
		for index, value := range all {
			if index > 0 {
				title = ""
			}
			write("##", title, value.Decl, value.Doc)
		}
	}
	values("Constants", p.Consts)
	values("Variables", p.Vars)
	for _, function := range p.Funcs {
		write("##", "Function `"+function.Name+"`", function.Decl, function.Doc)
	}
	for _, typ := range p.Types {
		write("##", "Type `"+typ.Name+"`", typ.Decl, typ.Doc)
		for _, value := range slices.Concat(typ.Consts, typ.Vars) {
			write("", "", value.Decl, value.Doc)
		}
		for _, function := range typ.Funcs {
			write("###", "Function `"+function.Name+"`", function.Decl, function.Doc)
		}
		for _, method := range typ.Methods {
			write("###", "Method `"+typ.Name+"."+method.Name+"`", method.Decl, method.Doc)
		}
	}
	return out.String()
}

func printed(files *token.FileSet, node any) string {
	var out bytes.Buffer
	switch node := node.(type) {
	case *ast.FuncDecl:
		clean := *node
		clean.Doc = nil
		printer.Fprint(&out, files, &clean)
	case *ast.GenDecl:
		clean := *node
		clean.Doc = nil
		printer.Fprint(&out, files, &clean)
	}
	return out.String()
}

// privateSignatures of names that the page does not show, by `name`, `Type.method` and `Type.field`.
func privateSignatures(files *token.FileSet, syntax []*ast.File) map[string]string {
	found := map[string]string{}
	for _, file := range syntax {
		for _, declared := range file.Decls {
			switch declared := declared.(type) {
			case *ast.FuncDecl:
				found[qualifiedName(declared)] = withDoc(declared.Doc, printed(files, declared))
			case *ast.GenDecl:
				for _, spec := range declared.Specs {
					specSignatures(files, declared, spec, found)
				}
			}
		}
	}
	return found
}

func specSignatures(files *token.FileSet, declared *ast.GenDecl, spec ast.Spec, found map[string]string) {
	show := func(node any) string {
		var out bytes.Buffer
		printer.Fprint(&out, files, node)
		return out.String()
	}
	switch spec := spec.(type) {
	case *ast.ValueSpec:
		for _, name := range spec.Names {
			found[name.Name] = withDoc(spec.Doc, declared.Tok.String()+" "+show(spec))
		}
	case *ast.TypeSpec:
		text := "type " + show(spec)
		found[spec.Name.Name] = withDoc(declared.Doc, text)
		if structure, ok := spec.Type.(*ast.StructType); ok {
			for _, field := range structure.Fields.List {
				for _, name := range field.Names {
					found[spec.Name.Name+"."+name.Name] = withDoc(field.Doc, "field "+name.Name+" "+show(field.Type))
				}
			}
		}
	}
}

func withDoc(group *ast.CommentGroup, text string) string {
	if group == nil {
		return text
	}
	var lines []string
	for _, line := range strings.Split(strings.TrimSpace(group.Text()), "\n") {
		lines = append(lines, "// "+line)
	}
	return strings.Join(lines, "\n") + "\n" + text
}
