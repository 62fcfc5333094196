package mistakes

import (
	"strconv"
	"strings"
	"sync"
)

// pythonRemoval describes a name that a version of Python has removed.
type pythonRemoval struct {
	minor   int    // the first minor version of Python 3 without the name
	instead string // the replacement, which completes the sentence "Use ..."
	renamed bool   // instead is another name of the same thing
	module  bool
}

// pythonShown has the texts by which findings name those entries of removedTable that are not names in code.
var pythonShown = map[string]string{"builtins.open(U)": "mode U of open", "hmac.new()": "hmac.new without digestmod",
	"random.sample(set)": "random.sample of a set"}

// shownAs returns the text by which findings name an entry of removedTable.
func (f *pythonRemoval) shownAs(name string) string {
	if s := pythonShown[name]; s != "" {
		return s
	}
	switch of, is := strings.CutSuffix(name, "=)"); {
	case f.module:
		return "module " + name
	case strings.HasSuffix(name, "[]"):
		return "index of what " + strings.TrimPrefix(strings.ReplaceAll(name[:len(name)-4], "()", ""), "builtins.") +
			" returns"
	case strings.HasPrefix(name, "class."):
		return "use for the method " + name[len("class."):]
	case is:
		at := strings.LastIndexByte(of, '(')
		return "parameter " + of[at+1:] + " of " +
			strings.TrimPrefix(strings.ReplaceAll(of[:at], "()", ""), "builtins.")
	}
	return strings.TrimPrefix(strings.ReplaceAll(name, "()", ""), "builtins.")
}

var (
	pythonRemovals = sync.OnceValue(func() map[string]pythonRemoval {
		out := map[string]pythonRemoval{}
		for line := range strings.Lines(removedTable) {
			line = strings.TrimSpace(line)
			names, rest, _ := strings.Cut(line, " 3.")
			version, instead, _ := strings.Cut(rest, " ")
			minor, err := strconv.Atoi(version)
			if err != nil {
				continue
			}
			f := pythonRemoval{minor: minor}
			f.instead, f.renamed = strings.CutPrefix(instead, "=")
			prefix := ""
			for name := range strings.FieldsSeq(names) {
				if p, is := strings.CutSuffix(name, ":"); is {
					prefix = p
					f.module = p == "module"
					continue
				}
				if prefix != "" && !f.module {
					name = prefix + name
				}
				one := f
				one.instead = strings.ReplaceAll(f.instead, "*", lastOf(name))
				out[name] = one
			}
		}
		return out
	})
	// parameters has the names of the functions with removed parameters.
	parameters = sync.OnceValue(func() map[string]bool {
		out := map[string]bool{}
		for name := range pythonRemovals() {
			if at := strings.LastIndexByte(name, '('); at > 0 && strings.HasSuffix(name, ")") {
				out[name[:at]] = true
			}
		}
		return out
	})
)

// lastOf returns the last part of a dotted name.
func lastOf(name string) string { return name[strings.LastIndexByte(name, '.')+1:] }

// removedTable has one line for names that one version removed: a prefix with a colon, or "module:", then the
// names, the version, and the replacement. A replacement with "=" is another name of the same thing; * is the last
// part of the removed name. In a name, "()" means an object of a class, "(x=)" a parameter, "[]" an index. Each
// line was tested with the interpreters of the version before and of the version itself; the lines about 3.14 come
// from its documentation.
const removedTable = `
module: formatter symbol 3.10 code of your own
module: parser 3.10 the module ast
module: dummy_threading _dummy_thread 3.9 threading
module: binhex 3.11 binascii
module: asynchat asyncore smtpd 3.12 asyncio, aiosmtpd for a mail server, or the package pyasyncore
module: distutils 3.12 a copy of the code that you need, or the package setuptools, which has its own distutils
module: distutils.log 3.12 logging
module: distutils.fancy_getopt 3.12 argparse
module: distutils.archive_util 3.12 shutil.make_archive
module: distutils.versionpredicate 3.12 packaging.requirements or packaging.specifiers of the package packaging
distutils.versionpredicate.: VersionPredicate 3.12 packaging.requirements.Requirement
module: distutils.version 3.12 packaging.version of the package packaging
module: distutils.spawn 3.12 shutil.which or subprocess.run
module: distutils.util 3.12 sysconfig.get_platform, or a few lines of your own
module: distutils.dir_util distutils.file_util 3.12 shutil; for copy_tree shutil.copytree with dirs_exist_ok=True
module: distutils.sysconfig 3.12 the module sysconfig
distutils.dir_util.: copy_tree 3.12 shutil.copytree with dirs_exist_ok=True
distutils.dir_util.: mkpath 3.12 os.makedirs with exist_ok=True
distutils.dir_util.: remove_tree 3.12 shutil.rmtree
distutils.file_util.: copy_file 3.12 shutil.copy2
distutils.file_util.: move_file 3.12 shutil.move
distutils.spawn.: find_executable 3.12 shutil.which
distutils.sysconfig.: get_python_lib 3.12 sysconfig.get_path("purelib")
distutils.sysconfig.: get_config_var get_config_vars 3.12 sysconfig.*
distutils.util.: strtobool 3.12 a function of your own, such as text.lower() in ("1", "on", "t", "true", "y", "yes")
distutils.util.: get_platform 3.12 sysconfig.get_platform
distutils.version.: LooseVersion 3.12 packaging.version.Version, which refuses texts that PEP 440 does not allow
distutils.version.: StrictVersion 3.12 packaging.version.Version
module: imp 3.12 importlib
imp.: reload 3.12 importlib.reload
imp.: find_module 3.12 importlib.util.find_spec
imp.: load_source load_module 3.12 importlib.util.spec_from_file_location and importlib.util.module_from_spec
imp.: new_module 3.12 types.ModuleType
module: cgi 3.13 urllib.parse or email.message, or the package legacy-cgi
cgi.: parse_header parse_multipart FieldStorage 3.13 the module email.message, or the package legacy-cgi
module: cgitb 3.13 traceback
module: crypt 3.13 hashlib, or the package crypt-r
module: imghdr sndhdr 3.13 the package filetype, or a test of the first bytes
module: telnetlib 3.13 the package telnetlib3 or standard-telnetlib
module: nntplib 3.13 the package standard-nntplib
module: pipes 3.13 subprocess, and shlex.quote for pipes.quote
pipes.: quote 3.13 shlex.quote
module: aifc audioop chunk sunau xdrlib 3.13 a package such as standard-*
module: mailcap 3.13 mimetypes or the package standard-mailcap
module: uu 3.13 base64 or binascii
module: nis ossaudiodev spwd 3.13 a package or a program of the system
module: lib2to3 3.13 the package libcst
module: tkinter.tix 3.13 tkinter.ttk
asyncio.: coroutine 3.11 async def
inspect.: getargspec ArgSpec 3.11 inspect.getfullargspec or inspect.signature
inspect.: formatargspec 3.11 inspect.signature
cgi.: escape 3.8 html.escape
cgi.: parse_qs parse_qsl 3.8 urllib.parse.*
base64.: encodestring 3.9 =encodebytes
base64.: decodestring 3.9 =decodebytes
array.array().: tostring 3.9 =tobytes
array.array().: fromstring 3.9 =frombytes
time.: clock 3.8 =perf_counter
platform.: linux_distribution dist 3.8 platform.freedesktop_os_release or the package distro
platform.: popen 3.8 subprocess
os.: errno 3.7 the module errno
sys.: getcheckinterval setcheckinterval 3.9 sys.setswitchinterval
fractions.: gcd 3.9 math.gcd
plistlib.: readPlist writePlist readPlistFromBytes writePlistToBytes Data 3.9 plistlib.load, loads, dump and dumps
configparser.: SafeConfigParser 3.12 =ConfigParser
configparser.RawConfigParser().: readfp 3.12 =read_file
threading.Thread().: isAlive 3.9 =is_alive
xml.etree.ElementTree.Element().: getchildren 3.9 list(element)
xml.etree.ElementTree.Element().: getiterator 3.9 =iter
xml.etree.ElementTree.ElementTree().: getiterator 3.9 =iter
html.parser.HTMLParser().: unescape 3.9 html.unescape
locale.: format 3.12 =format_string
locale.: resetlocale 3.13 locale.setlocale(locale.LC_ALL, "")
gettext.: lgettext ldgettext lngettext ldngettext 3.11 gettext.gettext and its relatives, which give text
gettext.: bind_textdomain_codeset 3.11 gettext.gettext and its relatives, which give text
ssl.: wrap_socket 3.12 ssl.SSLContext.wrap_socket
ssl.: match_hostname 3.12 ssl.SSLContext.check_hostname
ssl.: RAND_pseudo_bytes 3.12 ssl.RAND_bytes
pkgutil.: ImpImporter ImpLoader 3.12 importlib
importlib.: find_loader 3.12 importlib.util.find_spec
importlib.abc.: Finder 3.12 importlib.abc.MetaPathFinder
importlib.util.: set_package set_loader module_for_loader 3.12 importlib.util.module_from_spec
pkgutil.: get_loader find_loader 3.14 importlib.util.find_spec
ast.: Num Str Bytes NameConstant Ellipsis 3.14 ast.Constant
unittest.: makeSuite findTestCases getTestCaseNames 3.13 unittest.TestLoader
collections.: Callable Container Coroutine Generator Hashable ItemsView Iterable Iterator 3.10 collections.abc.*
collections.: KeysView Mapping MappingView MutableMapping MutableSequence MutableSet Sequence 3.10 collections.abc.*
collections.: Set Sized ValuesView Awaitable AsyncIterable AsyncIterator ByteString 3.10 collections.abc.*
asyncio.: sleep(loop=) gather(loop=) wait(loop=) wait_for(loop=) shield(loop=) 3.10 the call without loop
asyncio.: as_completed(loop=) Lock(loop=) Event(loop=) Condition(loop=) Semaphore(loop=) 3.10 the call without loop
asyncio.: BoundedSemaphore(loop=) Queue(loop=) LifoQueue(loop=) PriorityQueue(loop=) 3.10 the call without loop
asyncio.: open_connection(loop=) start_server(loop=) create_subprocess_exec(loop=) 3.10 the call without loop
asyncio.: create_subprocess_shell(loop=) 3.10 the call without loop
json.: loads(encoding=) 3.9 the call without encoding
gettext.: translation(codeset=) install(codeset=) 3.11 the call without codeset
smtplib.: SMTP_SSL(keyfile=) SMTP_SSL(certfile=) SMTP().starttls(keyfile=) SMTP().starttls(certfile=) 3.12 context
imaplib.: IMAP4_SSL(keyfile=) IMAP4_SSL(certfile=) 3.12 ssl_context
ftplib.: FTP_TLS(keyfile=) FTP_TLS(certfile=) 3.12 context
poplib.: POP3_SSL(keyfile=) POP3_SSL(certfile=) 3.12 context
http.client.: HTTPSConnection(key_file=) HTTPSConnection(cert_file=) HTTPSConnection(check_hostname=) 3.12 context
urllib.request.: urlopen(cafile=) urlopen(capath=) urlopen(cadefault=) 3.13 context
builtins.: open(U) 3.11 the mode without U, which does nothing in Python 3
hmac.: new() 3.8 hmac.new with a digestmod
random.: sample(set) 3.11 random.sample of a sorted list
builtins.: unicode 3.0 str
builtins.: unichr 3.0 chr
builtins.: xrange 3.0 range
builtins.: raw_input 3.0 input
builtins.: basestring 3.0 str
builtins.: long 3.0 int
builtins.: cmp 3.0 (a > b) - (a < b), or a key for sort
builtins.: reduce 3.0 functools.reduce
builtins.: file 3.0 open
builtins.: execfile 3.0 exec or runpy
builtins.: reload 3.0 importlib.reload
builtins.: apply 3.0 a call with *args
builtins.: StandardError 3.0 Exception
builtins.: intern 3.0 sys.intern
builtins.dict().: has_key 3.0 the operator in
builtins.dict().: iteritems 3.0 =items
builtins.dict().: itervalues 3.0 =values
builtins.dict().: iterkeys 3.0 =keys
builtins.str().: decode 3.0 the text as it is, or bytes
os.environ.: has_key 3.0 the operator in
os.: getcwdu 3.0 =getcwd
os.: popen2 popen3 popen4 tmpnam tempnam 3.0 subprocess or tempfile
sys.: maxint 3.0 =maxsize
sys.: exc_clear exc_type exc_value exc_traceback 3.0 sys.exc_info, or nothing
string.: letters lowercase uppercase 3.0 string.ascii_*
string.: maketrans 3.0 str.maketrans
string.: join joinfields 3.0 separator.join(words)
string.: split replace lower upper strip lstrip rstrip find rfind index 3.0 text.*(...)
string.: count zfill ljust rjust center 3.0 text.*(...)
string.: splitfields 3.0 text.split(...)
string.: atoi atol 3.0 int(...)
string.: atof 3.0 float(...)
itertools.: izip 3.0 the builtin zip
itertools.: imap 3.0 the builtin map
itertools.: ifilter 3.0 the builtin filter
itertools.: izip_longest 3.0 =zip_longest
itertools.: ifilterfalse 3.0 =filterfalse
types.: StringType UnicodeType 3.0 str
types.: StringTypes 3.0 str, as in isinstance(x, str)
types.: ListType 3.0 list
types.: DictType 3.0 dict
types.: TupleType 3.0 tuple
types.: IntType LongType 3.0 int
types.: FloatType 3.0 float
types.: BooleanType 3.0 bool
types.: ObjectType 3.0 object
types.: TypeType ClassType 3.0 type
types.: InstanceType FileType 3.0 isinstance with the class itself
operator.: isCallable sequenceIncludes isSequenceType isMappingType isNumberType 3.0 callable, or collections.abc
urllib.: urlopen urlretrieve URLopener FancyURLopener pathname2url url2pathname getproxies 3.0 urllib.request.*
urllib.: urlencode quote quote_plus unquote unquote_plus 3.0 urllib.parse.*
module: urllib2 3.0 urllib.request
module: urlparse 3.0 urllib.parse
module: httplib 3.0 http.client
module: ConfigParser 3.0 configparser
module: StringIO cStringIO 3.0 io
module: Queue 3.0 queue
module: cPickle 3.0 pickle
module: Tkinter tkMessageBox tkFileDialog tkSimpleDialog tkFont ScrolledText 3.0 tkinter
module: SocketServer 3.0 socketserver
module: BaseHTTPServer SimpleHTTPServer CGIHTTPServer 3.0 http.server
module: cookielib 3.0 http.cookiejar
module: Cookie 3.0 http.cookies
module: xmlrpclib 3.0 xmlrpc.client
module: SimpleXMLRPCServer DocXMLRPCServer 3.0 xmlrpc.server
module: htmlentitydefs 3.0 html.entities
module: HTMLParser 3.0 html.parser
module: __builtin__ 3.0 builtins
module: copy_reg 3.0 copyreg
module: robotparser 3.0 urllib.robotparser
module: popen2 3.0 subprocess
module: anydbm whichdb dumbdbm 3.0 dbm
module: md5 3.0 hashlib
module: sgmllib htmllib 3.0 html.parser
module: UserDict UserString UserList 3.0 collections
email.: MIMEText MIMEMultipart MIMEBase MIMEImage 3.0 the module of email in lower case, such as email.mime.text
email.: MIMEAudio Utils Encoders Header Charset 3.0 the module of email in lower case, such as email.mime.text
builtins.: sorted(cmp=) list().sort(cmp=) 3.0 key=functools.cmp_to_key(...)
builtins.dict().: keys().sort values().sort items().sort 3.0 sorted(...)
builtins.: map().sort filter().sort zip().sort map().append filter().append range().append 3.0 list(...) around the call
builtins.: map()[] filter()[] zip()[] dict().keys()[] dict().values()[] dict().items()[] 3.0 list(...) around the call
class.: __cmp__ 3.0 __eq__ and __lt__, or functools.total_ordering
class.: __nonzero__ 3.0 =__bool__
class.: __div__ 3.0 =__truediv__
class.: __getslice__ 3.0 __getitem__ with a slice
class.: next 3.0 =__next__
`
