package main

// spoken lists the languages in which vary writes applications.
var spoken = []language{
	{
		ext: ".go", mark: "//~", source: `r.FormValue("value")`,
		head: `package varied

import (
	"database/sql"
	"net/http"
	"os"
	"os/exec"
	"text/template"
)

var (
	db *sql.DB
	_  = http.Get
	_  = os.Open
	_  = exec.Command
	_  = template.New
)

`,
		shapes: []shape{
			{"direct", "func serve(w http.ResponseWriter, r *http.Request) {\n\t_, _ = SINK(\"BEFORE\" + SOURCE + \"AFTER\")SINK LABEL\n}\n"},
			{"variable", "func serve(w http.ResponseWriter, r *http.Request) {\n\tvalue := SOURCE\n\tif value == \"\" {\n\t\tvalue = \"none\"\n\t}\n\ttext := \"BEFORE\"\n\ttext += value + \"AFTER\"\n\t_, _ = SINK(text)SINK LABEL\n}\n"},
			{"helper", "func serve(w http.ResponseWriter, r *http.Request) {\n\twork(SOURCE)\n}\n\nfunc work(value string) {\n\t_, _ = SINK(\"BEFORE\" + value + \"AFTER\")SINK LABEL\n}\n"},
			{"result", "func serve(w http.ResponseWriter, r *http.Request) {\n\t_, _ = SINK(built(r))SINK LABEL\n}\n\nfunc built(r *http.Request) string {\n\tvalue := SOURCE\n\treturn \"BEFORE\" + value + \"AFTER\"\n}\n"},
			{"field", "type input struct{ first, second string }\n\nfunc serve(w http.ResponseWriter, r *http.Request) {\n\tin := &input{first: SOURCE}\n\tin.second = \"main\"\n\t_, _ = SINK(\"BEFORE\" + in.first + \"AFTER\")SINK LABEL\n}\n"},
			{"other", "type input struct{ first, second string }\n\nfunc serve(w http.ResponseWriter, r *http.Request) {\n\tin := &input{second: SOURCE}\n\tdefer func() {\n\t\t_, _ = SINK(\"BEFORE\" + in.second + \"AFTER\")SINK LABEL\n\t}()\n}\n"},
		},
		sinks: []sink{
			{"CWE-89", "sql", "db.Query(%s)", "SELECT a FROM b WHERE c = '", "'"},
			{"CWE-78", "shell", `exec.Command("sh", "-c", %s).Output()`, "ls ", ""},
			{"CWE-22", "path", "os.ReadFile(%s)", "data/", ".txt"},
			{"CWE-918", "fetch", "http.Get(%s)", "http://", "/status"},
			{"CWE-1336", "template", `template.New("a").Parse(%s)`, "<p>", "</p>"},
		},
	},
	{
		ext: ".py", mark: "#~", source: `request.args.get("value")`,
		head: `import os
import pickle
import sqlite3

import requests
from flask import Flask, render_template_string, request

app = Flask(__name__)
db = sqlite3.connect("app.db")


`,
		shapes: []shape{
			{"direct", "@app.route(\"/\")\ndef serve():\n    return SINK(\"BEFORE\" + SOURCE + \"AFTER\")SINK  LABEL\n"},
			{"variable", "@app.route(\"/\")\ndef serve():\n    value = SOURCE\n    if not value:\n        value = \"none\"\n    text = f\"BEFORE{value}AFTER\"\n    return SINK(text)SINK  LABEL\n"},
			{"helper", "@app.route(\"/\")\ndef serve():\n    return work(value=SOURCE)\n\n\ndef work(size=3, value=\"\"):\n    return SINK(\"BEFORE%sAFTER\" % value)SINK  LABEL\n"},
			{"result", "def built():\n    value = SOURCE\n    return \"BEFORE{}AFTER\".format(value)\n\n\n@app.route(\"/\")\ndef serve():\n    return SINK(built())SINK  LABEL\n"},
			{"field", "@app.route(\"/\")\ndef serve():\n    data = {\"first\": SOURCE, \"second\": \"main\"}\n    return SINK(\"\".join([\"BEFORE\", data[\"first\"], \"AFTER\"]))SINK  LABEL\n"},
		},
		sinks: []sink{
			{"CWE-89", "sql", "db.execute(%s)", "SELECT a FROM b WHERE c = '", "'"},
			{"CWE-78", "shell", "os.system(%s)", "ls ", ""},
			{"CWE-22", "path", "open(%s)", "data/", ".txt"},
			{"CWE-918", "fetch", "requests.get(%s)", "http://", "/status"},
			{"CWE-1336", "template", "render_template_string(%s)", "<p>", "</p>"},
			{"CWE-94", "code", "eval(%s)", "1 + ", ""},
		},
	},
	{
		ext: ".js", mark: "//~", source: "req.query.value",
		head: `const express = require('express')
const { execSync } = require('child_process')
const fs = require('fs')
const axios = require('axios')
const ejs = require('ejs')
const { Pool } = require('pg')

const app = express()
const db = new Pool()

`,
		shapes: []shape{
			{"direct", "app.get('/', async (req, res) => {\n  res.send(await SINK(\"BEFORE\" + SOURCE + \"AFTER\")SINK) LABEL\n})\n"},
			{"variable", "app.get('/', async (req, res) => {\n  let value = SOURCE\n  if (!value) {\n    value = 'none'\n  }\n  const text = `BEFORE${value}AFTER`\n  res.send(await SINK(text)SINK) LABEL\n})\n"},
			{"helper", "app.get('/', (req, res) => res.send(work(SOURCE)))\n\nfunction work(value) {\n  return SINK(`BEFORE${value}AFTER`)SINK LABEL\n}\n"},
			{"result", "const built = (req) => {\n  const value = SOURCE\n  return \"BEFORE\" + value + \"AFTER\"\n}\n\napp.get('/', async function (req, res) {\n  res.send(await SINK(built(req))SINK) LABEL\n})\n"},
			{"field", "app.get('/', async (req, res) => {\n  const data = { first: SOURCE, second: 'main' }\n  const { first } = data\n  res.send(await SINK([\"BEFORE\", first, \"AFTER\"].join(''))SINK) LABEL\n})\n"},
		},
		sinks: []sink{
			{"CWE-89", "sql", "db.query(%s)", "SELECT a FROM b WHERE c = '", "'"},
			{"CWE-78", "shell", "execSync(%s)", "ls ", ""},
			{"CWE-22", "path", "fs.readFileSync(%s)", "data/", ".txt"},
			{"CWE-918", "fetch", "axios.get(%s)", "http://", "/status"},
			{"CWE-1336", "template", "ejs.render(%s)", "<p>", "</p>"},
			{"CWE-94", "code", "eval(%s)", "1 + ", ""},
		},
	},
}
