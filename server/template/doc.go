// Package template owns the templates of processes as files: the embedded templates and the format of a template's
// file.
//
// It is pure: no clock, disk or log. server/process runs a process by its template; server/app offers the templates of
// the worlds folder.
package template
