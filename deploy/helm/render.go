// Renders the chart where Helm is not installed: Helm's own engine is Go's text/template with the functions of sprig, and Debian packages both
// (golang-go, golang-github-masterminds-sprig-dev). chart.test.ts runs it.
//
//	GO111MODULE=off GOPATH=/usr/share/gocode go run deploy/helm/render.go CHART [VALUES.yaml…]
//
// It leaves out what the chart does not use: subcharts, lookup, .Files, .Capabilities. It checks no schema.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"text/template"

	"github.com/Masterminds/sprig"
	"gopkg.in/yaml.v3"
)

func merge(a, b map[string]interface{}) map[string]interface{} {
	for k, v := range b {
		if bm, ok := v.(map[string]interface{}); ok {
			if am, ok := a[k].(map[string]interface{}); ok {
				a[k] = merge(am, bm)
				continue
			}
		}
		a[k] = v
	}
	return a
}
func read(p string) map[string]interface{} {
	raw, err := os.ReadFile(p)
	if err != nil {
		panic(err)
	}
	m := map[string]interface{}{}
	if err := yaml.Unmarshal(raw, &m); err != nil {
		panic(err)
	}
	// Helm's values went through JSON: numbers are float64.
	j, _ := json.Marshal(m)
	out := map[string]interface{}{}
	json.Unmarshal(j, &out)
	return out
}
func main() {
	dir := os.Args[1]
	values := read(filepath.Join(dir, "values.yaml"))
	for _, p := range os.Args[2:] {
		values = merge(values, read(p))
	}
	chart := read(filepath.Join(dir, "Chart.yaml"))
	up := map[string]interface{}{}
	for k, v := range chart {
		up[strings.ToUpper(k[:1])+k[1:]] = v
	}
	t := template.New("gotpl").Option("missingkey=zero")
	fm := sprig.TxtFuncMap()
	delete(fm, "env")
	delete(fm, "expandenv")
	fm["toYaml"] = func(v interface{}) string {
		var b bytes.Buffer
		e := yaml.NewEncoder(&b)
		e.SetIndent(2)
		e.Encode(v)
		return strings.TrimSuffix(b.String(), "\n")
	}
	fm["include"] = func(name string, data interface{}) (string, error) {
		var b strings.Builder
		err := t.ExecuteTemplate(&b, name, data)
		return b.String(), err
	}
	fm["required"] = func(m string, v interface{}) (interface{}, error) {
		if v == nil || v == "" {
			return v, errors.New(m)
		}
		return v, nil
	}
	fm["fail"] = func(m string) (string, error) { return "", errors.New(m) }
	t.Funcs(fm)
	files, _ := filepath.Glob(filepath.Join(dir, "templates", "*"))
	sort.Strings(files)
	for _, f := range files {
		raw, _ := os.ReadFile(f)
		template.Must(t.New("firsthand/templates/" + filepath.Base(f)).Parse(string(raw)))
	}
	top := map[string]interface{}{
		"Values": values, "Chart": up,
		"Release": map[string]interface{}{"Name": "firsthand", "Namespace": "default", "Service": "Helm", "IsInstall": true, "Revision": 1},
	}
	for _, f := range files {
		base := filepath.Base(f)
		if strings.HasPrefix(base, "_") || base == "NOTES.txt" {
			continue
		}
		name := "firsthand/templates/" + base
		top["Template"] = map[string]interface{}{"Name": name, "BasePath": "firsthand/templates"}
		var b strings.Builder
		if err := t.ExecuteTemplate(&b, name, top); err != nil {
			fmt.Fprintln(os.Stderr, "ERROR", err)
			os.Exit(1)
		}
		s := strings.ReplaceAll(b.String(), "<no value>", "")
		if strings.TrimSpace(s) == "" {
			continue
		}
		fmt.Printf("---\n# Source: %s\n%s\n", name, strings.Trim(s, "\n"))
	}
}
