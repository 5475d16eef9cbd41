// Package linter pins staticcheck.
package linter

import _ "honnef.co/go/tools/cmd/staticcheck"
