package flows

import (
	"strings"

	"agentdungeon/server/inspect"
)

// goTable returns the sources, sinks and other functions of Go and its libraries that the engine knows.
func goTable() *table {
	t := newTable()
	t.strict = true
	t.leaves = inspect.Words("panic os.Exit log.Fatal log.Fatalf log.Fatalln log.Panic log.Panicf runtime.Goexit")
	t.numbers = inspect.Words(`int int8 int16 int32 int64 uint uint8 uint16 uint32 uint64 float32 float64 bool byte rune
		error time.Time time.Duration`)
	t.parsed = inspect.Words("net/url.URL")
	t.parses = inspect.Words(`strconv.Atoi strconv.ParseInt strconv.ParseUint strconv.ParseBool strconv.ParseFloat
		github.com/google/uuid.Parse ` +
		`github.com/google/uuid.Validate net.ParseIP net/netip.ParseAddr time.Parse
			github.com/gofrs/uuid.FromString`)
	t.fills = inspect.Words("WriteString Write WriteByte Add Set Append")
	t.prefixes = inspect.Words("strings.HasPrefix bytes.HasPrefix")
	t.patterns = inspect.Words("*.MatchString regexp.MatchString *.Match")
	t.tests = inspect.Words("path/filepath.IsLocal")
	t.members = inspect.Words("slices.Contains strings.Contains *.Contains *.Has")
	goSources(t)
	goPasses(t)
	goSinks(t)
	return t.finish()
}

func goSources(t *table) {
	const req, gin, echo = "net/http.Request", "github.com/gin-gonic/gin.Context",
		"github.com/labstack/echo/v4.Context"
	const fiber = "github.com/gofiber/fiber/v2.Ctx"
	t.source("a form value of a request", true, 0,
		req+".{FormValue,PostFormValue} "+echo+".FormValue "+
			gin+".{PostForm,DefaultPostForm,PostFormArray,GetPostForm}")
	t.source("a path value of a request", true, 0, req+".PathValue "+echo+".Param "+fiber+".Params")
	t.source("a path value of a request", true, files, "github.com/gorilla/mux.Vars") // the router removes ".."
	segments := `github.com/julienschmidt/httprouter.Params.ByName github.com/go-chi/chi/v5.URLParam
		github.com/go-chi/chi.URLParam `
	each(segments+gin+".Param", func(w string) {
		t.sources[w] = &source{name: "a path value of a request", call: true, request: true, segment: true}
	})
	t.source("the query of a request", true, 0,
		gin+".{Query,DefaultQuery,QueryArray,GetQuery} "+echo+".{QueryParam,QueryString,QueryParams}")
	t.source("a header of a request", true, 0, req+".{UserAgent,Referer} "+gin+".GetHeader")
	t.source("a cookie of a request", true, 0, req+".{Cookie,Cookies} "+gin+".Cookie "+echo+".Cookie")
	t.source("the raw body of a request", true, 0, gin+".GetRawData "+fiber+".Body")
	t.source("the query of a request", true, 0, fiber+".{Query,Queries}")
	t.source("a form value of a request", true, 0, fiber+".FormValue")
	t.source("a header of a request", true, 0, fiber+".{Get,Cookies,Hostname,OriginalURL}")
	t.source("the name of an uploaded file", true, files, req+".FormFile "+gin+".FormFile "+echo+".FormFile")
	t.source("the URL of a request", false, 0, req+".{URL,RequestURI}")
	t.sources[req+".URL"].parts = map[string]kinds{"Path": files} // net/http takes ".." out of it
	t.source("the form of a request", false, 0, req+".{Form,PostForm,MultipartForm}")
	t.source("the headers of a request", false, 0, req+".{Header,Trailer}")
	t.source("the host of a request", false, 0, req+".Host")
	t.source("the body of a request", false, 0, req+".Body")
	t.source(operatorName, false, 0, "os.Args")
	t.source(operatorName, true, 0, `flag.{Arg,Args,String} flag.FlagSet.{Arg,Args,String}
		github.com/spf13/pflag.String`)
	t.source(environment, true, 0, "os.Getenv os.LookupEnv")
	body := &source{name: "the body of a request", call: true, request: true}
	each(gin+`.{Bind,BindJSON,BindQuery,BindUri,ShouldBind,ShouldBindJSON,ShouldBindQuery,ShouldBindUri,
		ShouldBindBodyWith,BindXML,BindYAML,ShouldBindXML} `+echo+".Bind "+
		fiber+".{BodyParser,QueryParser,ParamsParser}",
		func(w string) { t.writes[w] = write{body, 0, 0} })
	each(`encoding/json.Unmarshal encoding/xml.Unmarshal gopkg.in/yaml.v3.Unmarshal gopkg.in/yaml.v2.Unmarshal`,
		func(w string) { t.writes[w] = write{nil, 0, 1} })
	each(`encoding/json.NewDecoder().Decode encoding/xml.NewDecoder().Decode gopkg.in/yaml.v3.NewDecoder().Decode`,
		func(w string) { t.writes[w] = write{nil, -1, 0} })
	each("fmt.{Fprintf,Fprint,Fprintln} io.{Copy,WriteString}", func(w string) { t.writes[w] = write{nil, 1, 0} })
	t.typed(req, gin+".Request "+echo+".Request()")
	t.typed(echo, "github.com/labstack/echo.Context")
	t.typed(fiber, "github.com/gofiber/fiber.Ctx github.com/gofiber/fiber/v3.Ctx")
	t.typed("net/url.URL", req+".URL net/url.Parse() net/url.ParseRequestURI()")
	each(`net/http.{HandleFunc,ServeMux.HandleFunc,HandlerFunc,NewServeMux().HandleFunc}
		github.com/gorilla/mux.Router.HandleFunc github.com/gorilla/mux.NewRouter().HandleFunc`, func(w string) {
		t.handlers[w] = []string{"net/http.ResponseWriter", req}
	})
}

func goPasses(t *table) {
	args, recv := rule{}, rule{receiver: true}
	t.pass(args, `strings.{TrimSpace,Trim,TrimLeft,TrimRight,TrimPrefix,TrimSuffix,TrimFunc,ToLower,ToUpper,ToTitle,
		Replace,ReplaceAll,Split,SplitN,Fields,Cut,CutPrefix,CutSuffix,Repeat,Clone,Title,NewReader,SplitSeq,Map}
		bytes.{TrimSpace,Trim,ToLower,ToUpper,NewReader,NewBuffer,NewBufferString,Clone} bufio.{NewReader,
			NewScanner} io.{ReadAll,LimitReader,TeeReader,NopCloser} io/ioutil.ReadAll
		fmt.{Sprint,Sprintln,Sprintf,Errorf} net/http.MaxBytesReader net/url.{Parse,ParseRequestURI,PathUnescape,
			QueryUnescape,ParseQuery} encoding/json.{NewDecoder,Marshal} encoding/xml.NewDecoder
		encoding/base64.StdEncoding.DecodeString encoding/base64.URLEncoding.DecodeString encoding/hex.DecodeString
			gopkg.in/yaml.v3.NewDecoder
		string []byte []rune append slices.{Clone,Concat,Reverse} cmp.Or min max html.UnescapeString
			mime.ParseMediaType path/filepath.{Ext,Dir,ToSlash,FromSlash} path.{Ext,Dir}
		net/http.NewRequest net/http.NewRequestWithContext unicode/utf8.DecodeRuneInString strings.Clone
		context.WithValue`)
	t.pass(rule{joins: true, normal: true}, "path/filepath.{Join,Clean,Abs,EvalSymlinks} path.{Join,Clean}")
	t.pass(rule{joins: true}, "strings.Join regexp.{MustCompile,Compile}")
	t.pass(rule{clean: files}, "path/filepath.Base path.Base github.com/cyphar/filepath-securejoin.SecureJoin")
	t.pass(args, `html.EscapeString html/template.{HTMLEscapeString,JSEscapeString,URLQueryEscaper}
		text/template.HTMLEscapeString`)
	t.pass(rule{clean: files}, "net/url.{PathEscape,QueryEscape}")
	t.pass(rule{clean: sql}, `github.com/lib/pq.{QuoteIdentifier,QuoteLiteral}
		github.com/jackc/pgx/v5.Identifier.Sanitize`)
	t.pass(rule{clean: command}, `github.com/alessio/shellescape.Quote al.essio.dev/pkg/shellescape.Quote
		mvdan.cc/sh/v3/syntax.Quote`)
	t.pass(rule{receiver: true, keyed: true}, "*.Get *.Values *.Query *.FormValue *.PathValue *.QueryParam *.Param")
	t.pass(recv, `*.{String,Bytes,Text,Read,ReadString,Hostname,EscapedPath,Port,Encode,Cookies,Open,Scan,Username,
		Path,Value}`)
}

const (
	sqlUnknown = "*.{Query,QueryRow,Exec,Queryx,QueryRowx,MustExec,NamedExec,NamedQuery,Prepare,Raw}"
	sqlContext = `*.{QueryContext,QueryRowContext,ExecContext,PrepareContext,GetContext,SelectContext,
		QueryxContext}`
)

func goSinks(t *table) {
	for _, db := range []string{"database/sql.{DB,Tx,Conn}", "github.com/jmoiron/sqlx.{DB,Tx}"} {
		each(db, func(w string) {
			t.sink(sink{kind: sql, args: []int{0}}, w+`.{Query,QueryRow,Exec,Prepare,Queryx,QueryRowx,MustExec,
				NamedExec,NamedQuery}`)
			t.sink(sink{kind: sql, args: []int{1}}, w+`.{QueryContext,QueryRowContext,ExecContext,PrepareContext,
				Get,Select}`)
		})
	}
	each(`github.com/jackc/pgx/v5.{Conn,Tx} github.com/jackc/pgx/v5/pgxpool.{Pool,Conn}
		github.com/jackc/pgx/v4.{Conn,Tx} github.com/jackc/pgx/v4/pgxpool.Pool`,
		func(w string) { t.sink(sink{kind: sql, args: []int{1}}, w+".{Query,QueryRow,Exec}") })
	t.sink(sink{kind: sql, args: []int{0}}, `gorm.io/gorm.DB.{Raw,Exec,Where,Order,Or,Not,Having,Group,Joins,
		Select} github.com/jinzhu/gorm.DB.{Raw,Exec,Where,Order,Or,Not}`)
	t.typed("database/sql.DB", "database/sql.Open() database/sql.OpenDB()")
	t.typed("github.com/jmoiron/sqlx.DB", "github.com/jmoiron/sqlx.{Open(),Connect(),MustConnect(),MustOpen()}")
	t.typed("gorm.io/gorm.DB", `gorm.io/gorm.Open() gorm.io/gorm.DB.{Where(),Model(),Table(),Order(),Select(),
		WithContext(),Session(),Joins(),Debug(),Unscoped(),Limit(),Offset()}`)
	t.typed("database/sql.Tx", "database/sql.DB.{Begin(),BeginTx()}")
	t.typed("database/sql.Conn", "database/sql.DB.Conn()")
	t.typed("github.com/jackc/pgx/v5.Conn", "github.com/jackc/pgx/v5.Connect()")
	t.typed("github.com/jackc/pgx/v5/pgxpool.Pool", "github.com/jackc/pgx/v5/pgxpool.New()")
	t.sink(sink{kind: sql, args: []int{0}, when: saysSQL(0)}, sqlUnknown)
	t.sink(sink{kind: sql, args: []int{1}, when: saysSQL(1)}, sqlContext)
	t.sink(sink{kind: sql, args: []int{1}, when: saysSQL(1)}, "*.{Query,QueryRow,Exec}")

	t.sink(sink{kind: command, args: []int{0}, lead: true}, "os/exec.Command syscall.Exec os.StartProcess")
	t.sink(sink{kind: command, args: []int{2}, when: shellAt(0)}, "os/exec.Command")
	t.sink(sink{kind: command, args: []int{1}, lead: true}, "os/exec.CommandContext")
	t.sink(sink{kind: command, args: []int{3}, when: shellAt(1)}, "os/exec.CommandContext")

	t.sink(sink{kind: files, args: []int{0}}, `os.{Open,OpenFile,Create,ReadFile,WriteFile,Remove,RemoveAll,Mkdir,
		MkdirAll,ReadDir,Truncate,Chmod} io/ioutil.{ReadFile,WriteFile,ReadDir}
		github.com/gin-gonic/gin.Context.{File,FileAttachment} github.com/labstack/echo/v4.Context.{File,Attachment,
		Inline}`)
	t.sink(sink{kind: files, args: []int{0, 1}}, "os.{Rename,Symlink,Link}")
	t.sink(sink{kind: files, args: []int{2}}, "net/http.ServeFile")
	t.sink(sink{kind: files, args: []int{1}}, "github.com/gin-gonic/gin.Context.SaveUploadedFile")

	client := "net/http.{Client,DefaultClient}"
	each(client, func(w string) {
		t.sink(sink{kind: fetch, args: []int{0}, lead: true}, w+".{Get,Head,Post,PostForm}")
	})
	t.sink(sink{kind: fetch, args: []int{0}, lead: true}, "net/http.{Get,Head,Post,PostForm}")
	t.sink(sink{kind: fetch, args: []int{1}, lead: true}, "net/http.NewRequest")
	t.sink(sink{kind: fetch, args: []int{2}, lead: true}, "net/http.NewRequestWithContext")

	t.sink(sink{kind: template, args: []int{0}}, `text/template.{Template,New()}.Parse html/template.{Template,
		New()}.Parse text/template.New().Funcs().Parse html/template.New().Funcs().Parse`)
	t.sink(sink{kind: code, args: []int{0}}, `github.com/dop251/goja.{Runtime,New()}.RunString
		github.com/robertkrimmer/otto.{Otto,New()}.Run github.com/robertkrimmer/otto.Otto.Eval `+
		`github.com/traefik/yaegi/interp.{Interpreter,New()}.Eval github.com/yuin/gopher-lua.{LState,
			NewState()}.DoString github.com/robertkrimmer/otto.New().Eval`)
	t.sink(sink{kind: code, args: []int{1}}, "github.com/dop251/goja.{Runtime,New()}.RunScript")
}

// saysSQL returns a condition that is true if argument i begins like an SQL statement.
func saysSQL(i int) func(*site) bool {
	return func(c *site) bool { return i < len(c.args) && c.args[i] != nil && hasSQL.MatchString(c.args[i].text) }
}

var shells = inspect.Words(`sh bash zsh dash ksh cmd cmd.exe powershell powershell.exe pwsh /bin/sh /bin/bash
	/usr/bin/bash /usr/bin/sh /bin/zsh`)

// shellAt returns a condition that is true if argument i is a shell and argument i+1 is the shell's option for a
// command.
func shellAt(i int) func(*site) bool {
	return func(c *site) bool { return len(c.args) > i+2 && isShell(c.args[i:]) }
}

func isShell(v []*value) bool {
	if len(v) < 2 || v[0] == nil || v[1] == nil || !shells[strings.ToLower(v[0].text)] {
		return false
	}
	flag := strings.ToLower(v[1].text)
	return strings.HasPrefix(flag, "-") && strings.HasSuffix(flag, "c") || flag == "/c" || flag == "-command"
}
