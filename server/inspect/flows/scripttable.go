package flows

import "agentdungeon/server/inspect"

// scriptTable returns the sources, sinks and other functions of JavaScript and its libraries that the engine knows.
// It serves TypeScript too.
func scriptTable() *table {
	t := newTable()
	t.numbers = inspect.Words("*.length Set().size Map().size URLSearchParams().size")
	each(`express.Request.{url,originalUrl,path,hostname} koa.Context.{url,originalUrl,path,host,querystring}
		koa.Context.request.{url,path,querystring,rawBody} next.Request.{url,nextUrl.pathname} next.Event.url
		lambda.Event.body socket.Data`, func(w string) { t.numbers[w+".length"] = true })
	t.leaves = inspect.Words("process.exit next/navigation.notFound next/navigation.redirect")
	t.parsed = inspect.Words("URL()")
	t.fills = inspect.Words("push unshift append add set concat")
	t.each = map[string]bool{"map": true, "flatMap": true}
	each("forEach filter find some every then reduce", func(w string) { t.each[w] = false })
	t.prefixes = inspect.Words("*.startsWith")
	t.patterns = inspect.Words("*.test *.match *.exec")
	t.members = inspect.Words("*.includes *.has *.hasOwnProperty Object.hasOwn *.indexOf")
	scriptSources(t)
	scriptPasses(t)
	scriptSinks(t)
	return t.finish()
}

func scriptSources(t *table) {
	const ex, koa = "express.Request", "koa.Context"
	t.source("the query of a request", false, 0, ex+".query "+koa+".{query,querystring} "+koa+`.request.{query,
		querystring} next.Request.nextUrl.searchParams next.Props.searchParams`)
	t.source("a path value of a request", false, 0, ex+".params "+koa+".params next.Context.params next.Props.params")
	t.source("the body of a request", false, 0, ex+".body "+koa+".request.{body,rawBody}")
	t.source("the body of a request", true, 0, "next.Request.{json,text,arrayBuffer}")
	t.source("the body of a request", true, 0, "next.Request.formData")
	t.source("the form of a request", false, 0, "next.FormData")
	t.source("the query of a request", false, 0, "hapi.Request.query next.Props.query next.Event.url "+
		"lambda.Event.queryStringParameters @nestjs/common.Query")
	t.source("a path value of a request", false, 0, `hapi.Request.params next.Event.params
		lambda.Event.pathParameters @nestjs/common.Param`)
	t.source("the body of a request", false, 0, "hapi.Request.payload lambda.Event.body @nestjs/common.Body")
	t.source("a header of a request", false, 0, "hapi.Request.headers lambda.Event.headers @nestjs/common.Headers")
	t.source("a header of a request", true, 0, "next/headers.{headers,cookies} hono.Context.req.header")
	t.source("the body of a request", true, 0, "hono.Context.req.{json,text,parseBody,formData}")
	t.source("the query of a request", true, 0, "hono.Context.req.{query,queries,param}")
	t.source("an uploaded file of a request", false, 0, "@nestjs/common.{UploadedFile,UploadedFiles}")
	t.source("a message of a client", false, 0, "socket.Data")
	t.source("a header of a request", false, 0,
		ex+".headers "+koa+".{headers,header} "+koa+".request.{headers,header} next.Request.headers")
	t.source("a header of a request", true, 0, ex+".{get,header} "+koa+".get "+koa+".request.get")
	t.source("a parameter of a request", true, 0, ex+".param")
	t.source("a cookie of a request", false, 0, ex+".{cookies,signedCookies} next.Request.cookies")
	t.source("a cookie of a request", true, 0, koa+".cookies.get")
	t.source("the URL of a request", false, 0,
		ex+".{url,originalUrl,path,hostname} "+koa+".{url,originalUrl,path,host} "+
			koa+".request.{url,path} next.Request.{url,nextUrl.pathname}")
	t.source("the name of an uploaded file", false, narrow, ex+".file.originalname "+ex+".files")
	for _, w := range []string{"next.FormData", "next.Request.formData", "@nestjs/common.UploadedFile"} {
		t.sources[w].parts = map[string]kinds{"size": all}
	}
	t.sources[ex+".files"].deep = true
	t.sources[ex+".files"].parts = map[string]kinds{ // the server chooses these values
		"path": all, "filepath": all, "tempFilePath": all, "destination": all, "filename": all, "newFilename": all,
		"size": all,
	}
	t.source(storedName, true, all&^code|unsure, `*.{hgetall,hget,hmget,lrange,smembers,findOne,
		findById,findByPk,findAll}`)
	t.source(operatorName, false, 0, "process.argv")
	t.source(environment, false, 0, "process.env")
	t.typed(ex, "next.NextApiRequest fastify.FastifyRequest http.IncomingMessage")
	t.typed("next.Request", "next/server.NextRequest")
	t.typed("next.FormData", "FormData")
	t.typed("next.Request", "next.Event.request")
	t.typed("socket.io()", "socket.io.Server() socket.io().{of(),use()}")
	t.typed("ws.Server()", "ws.WebSocketServer()")
	t.handler("socket.io.Socket", "socket.io().on")
	t.handler("ws.Socket", "ws.Server().on")
	t.handler("socket.Data", "{socket.io.Socket,ws.Socket}.on")
	t.typed("express()", "express.Router() fastify() restify.createServer() polka()")
	t.typed("koa-router()", "@koa/router()")
	t.handler(ex+" express.Response", `{express(),express.Router,express.Application,express.Express,express}.{get,
		post,put,patch,delete,all,use,options,head,del} http.createServer https.createServer`)
	t.handler(koa, "koa-router().{get,post,put,patch,delete,all,use,del} koa().use")
}

func scriptPasses(t *table) {
	recv := rule{receiver: true}
	t.pass(rule{}, `String Object Array Array.from Object.{assign,values,keys,entries,freeze,fromEntries}
		JSON.{parse,stringify} decodeURIComponent decodeURI unescape atob Buffer.from Buffer.concat URL
		url.{parse,URL} querystring.parse qs.parse path.{dirname,extname,parse} util.format structuredClone
		Promise.{resolve,all} URLSearchParams fs.realpathSync`)
	t.pass(rule{joins: true, normal: true}, "path.{join,resolve,normalize} path.posix.{join,resolve,normalize}")
	t.pass(rule{clean: narrow}, "path.relative")
	t.pass(rule{clean: files}, "path.basename path.posix.basename sanitize-filename sanitize-filename.default")
	t.pass(rule{clean: files}, "encodeURIComponent")
	t.pass(rule{}, `he.encode he.escape escape-html lodash.escape validator.escape html-escaper.escape`)
	t.pass(rule{clean: command}, "shell-quote.quote shell-escape")
	t.pass(rule{clean: sql}, `mysql.{escape,escapeId} mysql2.{escape,escapeId} pg-format sqlstring.{escape,
		escapeId} mysql.{createConnection(),createPool()}.{escape,escapeId}
		mysql2.{createConnection(),createPool()}.{escape,escapeId}
		pg.{Pool(),Client()}.{escapeIdentifier,escapeLiteral}`)
	t.pass(rule{clean: unsure}, "*.escape *.escapeId *.escapeIdentifier *.escapeLiteral")
	t.pass(rule{joins: true}, "RegExp")
	t.pass(rule{receiver: true, keyed: true}, "*.get *.getAll")
	t.pass(rule{receiver: true, joins: true}, "*.join")
	t.pass(rule{receiver: true, both: true}, "*.concat *.replace *.replaceAll *.padStart *.padEnd")
	t.pass(recv, `*.{toString,trim,trimStart,trimEnd,toLowerCase,toUpperCase,slice,substring,substr,split,normalize,
		at,charAt,pop,shift,reverse,filter,find,flat,sort,values,entries,keys,
		valueOf,then,catch,finally,match,repeat,toJSON,href,forEach,reduce,text,json,formData}`)
}

func scriptSinks(t *table) {
	t.sink(sink{kind: sql, args: []int{0}, when: saysSQL(0)}, `*.{query,execute,raw,all,get,run,exec,prepare,
		whereRaw,each,unsafe,batch}`)
	t.sink(sink{kind: sql, args: []int{0}, keys: []string{"text", "sql"}}, `*.{$queryRawUnsafe,
		$executeRawUnsafe,orderByRaw,havingRaw}
		mysql.{createConnection(),createPool()}.query mysql2.{createConnection(),createPool()}.{query,execute}
		mysql2/promise.{createConnection(),createPool()}.{query,execute} pg.{Pool(),Client()}.query
		better-sqlite3().{prepare,exec} sqlite3.Database().{all,get,run,exec,each}`)

	t.sink(sink{kind: command, args: []int{0}}, "child_process.{exec,execSync} shelljs.exec")
	spawn := `child_process.{spawn,spawnSync,execFile,execFileSync,fork} execa execa.{execa,execaSync,default}
		cross-spawn`
	t.sink(sink{kind: command, args: []int{0}, lead: true}, spawn)
	t.sink(sink{kind: command, args: []int{0, 1}, when: scriptShell}, spawn)
	t.sink(sink{kind: command, args: []int{0}}, "execa.{command,execaCommand,commandSync,execaCommandSync}")

	read := `{readFile,readFileSync,createReadStream,createWriteStream,writeFile,writeFileSync,appendFile,
		appendFileSync,unlink,unlinkSync,rm,rmSync,rmdir,rmdirSync,readdir,readdirSync,mkdir,mkdirSync,open,openSync,
		remove,removeSync,readJson,truncate}`
	t.sink(sink{kind: files, args: []int{0}},
		"fs."+read+" fs.promises."+read+" fs/promises."+read+" fs-extra."+read+" graceful-fs."+read)
	t.sink(sink{kind: files, args: []int{0, 1}}, `fs.{rename,renameSync,copyFile,copyFileSync,symlink,cp}
		fs.promises.{rename,copyFile,cp} fs/promises.{rename,copyFile,cp}`)
	t.sink(sink{kind: files, args: []int{0}}, "require import")
	t.sink(sink{kind: files, args: []int{0}, when: withoutRoot, dots: true}, "express.Response.sendFile")
	t.sink(sink{kind: files, args: []int{0}, when: withoutRoot}, "express.Response.download")

	address := []string{"url", "uri", "baseURL", "host", "hostname"}
	t.sink(sink{kind: fetch, args: []int{0}, keys: address, lead: true}, `fetch node-fetch node-fetch.default
		axios axios.{get,post,put,delete,head,patch,request} got got.{get,post,put,default,stream} request request.{get,post}
		undici.{fetch,request}
		superagent.{get,post} needle needle.get http.{get,request} https.{get,request} ky ky.get`)
	t.sink(sink{kind: fetch, args: []int{1}, lead: true}, "needle")

	t.sink(sink{kind: code, args: []int{0}}, `eval Function Function.constructor vm.{runInNewContext,
		runInThisContext,runInContext,Script,compileFunction} vm2.VM().run vm2.NodeVM().run`)
	t.sink(sink{kind: code, args: []int{1, 2, 3}}, "Function")
	t.sink(sink{kind: template, args: []int{0}}, `ejs.{render,compile} pug.{render,compile} handlebars.{compile,
		precompile} Handlebars.compile nunjucks.{renderString,compile} lodash.template mustache.render doT.template
		dot.template underscore.template eta.render eta.renderString`)
	t.sink(sink{kind: object, args: []int{0}}, `node-serialize.unserialize serialize-to-js.deserialize
		v8.deserialize funcster.deepDeserialize cryo.parse`)
}

// option returns the field with the given name of an argument that is an object: shell in spawn(program, {shell:
// true}).
func (c *site) option(name string) *value {
	for _, a := range c.args {
		if v := a.parts()[name]; v != nil {
			return v
		}
	}
	return nil
}

// scriptShell reports whether a process is started in a shell.
func scriptShell(c *site) bool {
	if v := c.option("shell"); v != nil && v.text != "" && v.text != "false" {
		return true
	}
	if len(c.args) < 2 || c.args[0] == nil || c.args[1] == nil {
		return false
	}
	list := append([]*value{c.args[0]}, c.args[1].elems...)
	return isShell(list)
}

// withoutRoot reports whether sendFile has no root folder that confines the path.
func withoutRoot(c *site) bool { return c.option("root") == nil }
