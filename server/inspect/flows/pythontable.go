package flows

import (
	"strings"

	"agentdungeon/server/inspect"
)

// pythonTable returns the sources, sinks and other functions of Python and its libraries that the engine knows.
func pythonTable() *table {
	t := newTable()
	t.numbers = inspect.Words(`int float bool uuid.UUID datetime.date datetime.datetime decimal.Decimal enum.Enum
		enum.IntEnum enum.StrEnum enum.Flag enum.IntFlag`)
	t.parsed = inspect.Words("urllib.parse.urlparse() urllib.parse.urlsplit() pathlib.Path()")
	t.parses = inspect.Words(`int float uuid.UUID ipaddress.ip_address datetime.datetime.strptime
		datetime.datetime.fromisoformat decimal.Decimal`)
	t.fills = inspect.Words("append extend insert add update setdefault write")
	t.prefixes = inspect.Words("*.startswith *.is_relative_to")
	t.patterns = inspect.Words("re.match re.fullmatch re.search *.match *.fullmatch *.search")
	t.tests = inspect.Words("*.isdigit *.isalnum *.isidentifier *.isalpha *.isnumeric *.isdecimal")
	t.leaves = inspect.Words("sys.exit exit quit os._exit flask.abort werkzeug.exceptions.abort aiohttp.web.HTTPException")
	t.routes = map[string]int{"django.urls.path": 1, "django.urls.re_path": 1, "django.conf.urls.url": 1}
	pythonSources(t)
	pythonPasses(t)
	pythonSinks(t)
	return t.finish()
}

func pythonSources(t *table) {
	const flask, django, star = "flask.request", "django.http.HttpRequest", "starlette.requests.Request"
	const aio, tornado = "aiohttp.web.Request", "tornado.httputil.HTTPServerRequest"
	// The request objects of these libraries have the same parts under other names.
	others := "{bottle.request,pyramid.request.Request,sanic.request.Request,cherrypy.request,falcon.Request}"
	t.source("the query of a request", false, 0,
		flask+".{args,values,query_string} "+django+".{GET,query_params} "+star+".query_params "+
			aio+".{query,query_string,rel_url} "+tornado+".{arguments,query_arguments,query} "+
			others+".{query,GET,params,args,query_string}")
	t.source("the form of a request", false, 0, flask+".form "+django+".POST "+tornado+".body_arguments "+
		others+".{forms,form,POST}")
	t.source("the body of a request", false, 0, flask+".{json,data,stream} "+django+".{body,data} "+tornado+".body "+
		others+".{json,json_body,body,media,stream} "+
		"http.server.{BaseHTTPRequestHandler,SimpleHTTPRequestHandler}.rfile")
	t.source("the body of a request", true, 0, flask+".{get_json,get_data} "+star+".{json,body,form} "+
		aio+".{json,post,text,read,multipart} web.data flask_restful.reqparse.RequestParser().parse_args")
	t.source("a parameter of a request", true, 0, `web.input cgi.FieldStorage falcon.Request.get_param
		tornado.*.{get_argument,get_arguments,get_query_argument,get_query_arguments,get_body_argument}
		tornado.*.get_body_arguments`)
	t.source("a cookie of a request", false, 0, flask+".cookies "+django+".COOKIES "+star+".cookies "+aio+".cookies "+
		others+".cookies")
	t.source("a cookie of a request", true, 0, "tornado.*.get_cookie")
	t.source("a header of a request", false, 0, flask+".headers "+django+".{META,headers} "+star+".headers "+
		aio+".headers "+tornado+".headers "+others+`.headers
		http.server.{BaseHTTPRequestHandler,SimpleHTTPRequestHandler}.headers`)
	t.source("an uploaded file of a request", false, 0,
		flask+".files "+django+".FILES fastapi.UploadFile "+tornado+".files "+others+".files")
	t.source("the URL of a request", false, 0,
		flask+".{url,path,full_path,host,view_args,base_url} "+django+".{path,path_info} "+star+".{url,path_params} "+
			aio+".{match_info,path,url,path_qs} "+tornado+".{uri,path} "+others+`.{path,url,matchdict,path_info}
			http.server.{BaseHTTPRequestHandler,SimpleHTTPRequestHandler}.{path,requestline}`)
	t.source("a part of a request's path", false, files, "path.Part")
	t.source("a part of a request's path", false, 0, "path.Rest {django,rest_framework}.*.kwargs tornado.*.path_kwargs")
	t.source("a parameter of a request", false, 0, `fastapi.Param
		lambda.Event.{body,queryStringParameters,pathParameters,headers}`)
	t.source(operatorName, false, 0, "sys.argv sys.stdin")
	t.source(operatorName, true, 0, "input argparse.ArgumentParser().{parse_args,parse_known_args}")
	t.source(environment, false, 0, "os.environ")
	t.source(environment, true, 0, "os.getenv")
	t.typed(star, "fastapi.Request fastapi.requests.Request starlette.requests.HTTPConnection")
	t.typed("fastapi.UploadFile", "starlette.datastructures.UploadFile fastapi.datastructures.UploadFile")
	t.typed(django, `rest_framework.request.Request django.core.handlers.wsgi.WSGIRequest
		{django,rest_framework}.*.request`)
	t.typed(flask, "flask.globals.request quart.request werkzeug.wrappers.Request flask.Request")
	t.typed(tornado, "tornado.*.request")
	t.typed("urllib.parse.urlparse()", "urllib.parse.urlsplit()")
}

func pythonPasses(t *table) {
	recv := rule{receiver: true}
	t.pass(rule{}, `str bytes list tuple set dict sorted reversed enumerate zip iter next repr format filter
		io.{StringIO,BytesIO} json.{loads,dumps} urllib.parse.{unquote,unquote_plus,urlparse,urlsplit}
			base64.{b64decode,urlsafe_b64decode,decodebytes} binascii.unhexlify
		os.path.{join,splitext,expanduser,dirname,commonpath} pathlib.{Path,PurePath,PosixPath} os.fspath
			os.fsdecode copy.{copy,deepcopy} textwrap.dedent string.Template zlib.decompress codecs.decode
		sqlalchemy.text typing.cast`)
	t.pass(rule{joins: true}, "os.path.join pathlib.Path re.compile")
	t.pass(rule{normal: true}, "os.path.{abspath,realpath,normpath,relpath,commonpath}")
	t.pass(rule{receiver: true, normal: true}, "*.resolve *.absolute")
	t.pass(rule{clean: files}, `os.path.basename werkzeug.utils.{secure_filename,safe_join} flask.safe_join
		django.utils._os.safe_join pathvalidate.sanitize_filename django.utils.text.get_valid_filename`)
	t.pass(rule{clean: command}, "shlex.{quote,join} pipes.quote")
	t.pass(rule{}, `html.escape markupsafe.{escape,Markup} flask.{escape,Markup} django.utils.html.escape bleach.clean
		urllib.parse.quote`)
	t.pass(rule{clean: files}, "urllib.parse.quote_plus")
	t.pass(rule{clean: sql}, `psycopg2.sql.Identifier psycopg2.sql.Literal psycopg.sql.Identifier
		psycopg.sql.Literal`)
	t.pass(rule{receiver: true, keyed: true}, "*.get *.getlist *.pop")
	t.pass(rule{receiver: true, both: true}, "*.replace *.format *.joinpath *.format_map")
	t.pass(rule{receiver: true, joins: true}, "*.join")
	t.pass(recv, `*.{strip,lstrip,rstrip,lower,upper,title,capitalize,casefold,split,rsplit,splitlines,partition,
		rpartition,encode,decode,read,readline,readlines,items,keys,values,copy,
		to_dict,dict,model_dump,as_posix,expanduser,removeprefix,removesuffix,expandtabs,zfill,getvalue,geturl,
		translate,group,cleaned_data,with_suffix,getall,iterdir,json,form,body}`)
}

func pythonSinks(t *table) {
	t.sink(sink{kind: sql, args: []int{0}, keys: []string{"sql", "query", "statement"}, when: saysSQL(0)},
		`*.{execute,executemany,executescript,raw,fetch,fetchrow,fetchval,exec_driver_sql,mogrify}`)
	t.sink(sink{kind: sql, args: []int{0}, when: saysSQL(0)}, `sqlalchemy.text sqlalchemy.sql.text pandas.read_sql
		pandas.read_sql_query`)
	t.sink(sink{kind: sql, args: []int{0}}, `sqlite3.connect().{execute,executescript} {sqlite3,psycopg2,psycopg,
		pymysql,MySQLdb}.connect().cursor().{execute,executescript}
		mysql.connector.connect().cursor().execute django.db.connection.cursor().execute`)

	t.sink(sink{kind: command, args: []int{0}}, `os.{system,popen} subprocess.{getoutput,getstatusoutput}
		commands.getoutput asyncio.create_subprocess_shell`)
	run := "subprocess.{run,call,check_call,check_output,Popen}"
	t.sink(sink{kind: command, args: []int{0}, keys: []string{"args"}, when: pythonShell}, run)
	t.sink(sink{kind: command, args: []int{0}, lead: true, when: pythonProgram}, run)
	t.sink(sink{kind: command, args: []int{0}, lead: true}, `os.{execv,execvp,execl,execlp,spawnl,spawnv}
		asyncio.create_subprocess_exec`)

	t.sink(sink{kind: files, args: []int{0}, keys: []string{"file", "path"}}, `open io.open codecs.open os.{open,
		remove,unlink,rmdir,listdir,scandir,mkdir,makedirs,chmod,truncate,walk} shutil.rmtree
		flask.send_file {fastapi,starlette}.responses.FileResponse aiohttp.web.FileResponse aiofiles.open
		zipfile.ZipFile tarfile.open PIL.Image.open`)
	t.sink(sink{kind: files, args: []int{0}, when: savesUpload}, "*.save")
	t.sink(sink{kind: files, args: []int{0, 1}}, `os.{rename,replace,link,symlink} shutil.{copy,copyfile,copy2,move,
		copytree}`)
	t.sink(sink{kind: files, args: []int{-1}}, `*.{read_text,read_bytes,write_text,write_bytes,unlink,iterdir,rmdir,
		mkdir} pathlib.Path().{open,read_text,read_bytes,write_text,write_bytes,unlink,iterdir,rmdir,mkdir}`)
	t.sink(sink{kind: files, args: []int{0}}, "flask.send_from_directory")

	t.sink(sink{kind: fetch, args: []int{0}, keys: []string{"url"}, lead: true}, `requests.{get,post,put,delete,
		head,patch,options} requests.{Session(),session()}.{get,post,put,delete,head,patch}
		urllib.request.{urlopen,urlretrieve,Request} httpx.{get,post,put,delete,head,patch,stream}
		httpx.{AsyncClient(),Client()}.{get,post,put,delete,head,patch,stream}
		aiohttp.ClientSession().{get,post,put,delete,head} urllib2.{urlopen,Request} feedparser.parse
		http.client.{HTTPConnection,HTTPSConnection}`)
	t.sink(sink{kind: fetch, args: []int{1}, keys: []string{"url"}, lead: true}, `requests.request httpx.request
		urllib3.PoolManager().urlopen
		requests.{Session(),session()}.request urllib3.PoolManager().request httpx.{AsyncClient(),Client()}.request`)

	t.sink(sink{kind: code, args: []int{0}}, `eval exec compile builtins.eval builtins.exec
		code.InteractiveInterpreter().runcode`)
	t.sink(sink{kind: template, args: []int{0}, keys: []string{"source"}}, `flask.render_template_string
		jinja2.Template jinja2.{Environment(),sandbox.Environment()}.from_string mako.template.Template
		django.template.{Template,Engine().from_string,engines.django.from_string,engines.jinja2.from_string}
		tornado.template.Template flask.Flask().jinja_env.from_string flask.current_app.jinja_env.from_string`)
	t.sink(sink{kind: object, args: []int{0}}, `pickle.{loads,load,Unpickler} cPickle.{loads,load} _pickle.{loads,
		load} dill.{loads,load} cloudpickle.{loads,load} marshal.{loads,load} jsonpickle.decode shelve.open
		pandas.read_pickle joblib.load torch.load`)
	t.sink(sink{kind: sql, keys: []string{"where", "select", "order_by"}}, "*.extra")
	t.sink(sink{kind: sql, args: []int{0}}, "django.db.models.expressions.RawSQL django.db.models.RawSQL")
	t.sink(sink{kind: command, args: []int{0}}, "paramiko.SSHClient().exec_command")
	t.sink(sink{kind: object, args: []int{0}, when: unsafeYAML}, "yaml.{load,load_all}")
	t.sink(sink{kind: object, args: []int{0}}, "yaml.{unsafe_load,unsafe_load_all,full_load_unsafe}")
}

// keyword returns a named argument of a call.
func (c *site) keyword(name string) *value {
	for i, k := range c.expr.Keys {
		if k == name {
			return c.args[i]
		}
	}
	return nil
}

// pythonShell reports whether a call of subprocess starts a shell.
func pythonShell(c *site) bool {
	if v := c.keyword("shell"); v != nil && strings.EqualFold(v.text, "true") {
		return true
	}
	return len(c.args) > 0 && c.args[0] != nil && isShell(c.args[0].elems)
}

// pythonProgram reports whether a call of subprocess may start, without a shell, a program whose name is not constant.
func pythonProgram(c *site) bool {
	if pythonShell(c) || len(c.args) == 0 || c.args[0] == nil {
		return false
	}
	if list := c.args[0].elems; len(list) > 0 {
		return len(list[0].flat()) > 0
	}
	return true
}

// unsafeYAML reports whether yaml.load uses a loader that can build arbitrary objects.
func unsafeYAML(c *site) bool {
	loader := c.keyword("Loader")
	if loader == nil && len(c.args) > 1 {
		loader = c.args[1]
	}
	return loader == nil || !strings.Contains(loader.sym, "Safe") && !strings.Contains(loader.sym, "Base")
}

// savesUpload reports whether the object whose method save is called is tainted, as an uploaded file is.
func savesUpload(c *site) bool { return len(c.base.flat()) > 0 }
