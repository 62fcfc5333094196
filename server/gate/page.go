package gate

import (
	"bytes"
	"compress/gzip"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"path"
	"strings"
	"sync"
	"time"
)

// contentTypes has the content types of the page's files by extension. It replaces the operating system's
// table, which differs between machines: with the header nosniff, browsers reject a file with a wrong type.
var contentTypes = map[string]string{
	".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".mjs": "text/javascript; charset=utf-8",
	".css": "text/css; charset=utf-8", ".json": "application/json", ".map": "application/json",
	".svg": "image/svg+xml", ".png": "image/png", ".jpg": "image/jpeg", ".webp": "image/webp", ".ico": "image/x-icon",
	".woff2": "font/woff2", ".woff": "font/woff", ".txt": "text/plain; charset=utf-8", ".wasm": "application/wasm",
	".webmanifest": "application/manifest+json", ".mp3": "audio/mpeg", ".ogg": "audio/ogg",
}

// index is the file of the page itself.
const index = "index.html"

// noncePlace is the text in index for which each answer has a nonce of its own. With that nonce the page may add the
// style elements of the file viewer, whose library writes them (P1.11).
const noncePlace = "{style-nonce}"

// page serves the files of the built page. It reads, hashes and compresses a file at the first request for it, and at
// the first request after the file has changed. The cache has at most one entry for each file.
type page struct {
	files fs.FS

	mu    sync.Mutex
	cache map[string]*pageFile
}

type pageFile struct {
	modified time.Time
	size     int64
	etag     string
	body     []byte
	packed   []byte // gzip, nil if that saves less than a tenth
}

func newPage(files fs.FS) *page { return &page{files: files, cache: map[string]*pageFile{}} }

// serve answers a GET or HEAD request for a file of the page.
func (p *page) serve(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "this is a page; use the method GET", http.StatusMethodNotAllowed)
		return
	}
	name := strings.TrimPrefix(r.URL.Path, "/")
	if name == "" || isPlace(r.URL.Path) {
		name = index
	}
	kind, ok := contentTypes[path.Ext(name)]
	if !ok || !fs.ValidPath(name) {
		http.Error(w, "there is no such page", http.StatusNotFound)
		return
	}
	f, err := p.load(name)
	switch {
	case errors.Is(err, fs.ErrNotExist) && name == index:
		http.Error(w, "the page was not built into this server; make page builds it", http.StatusNotFound)
		return
	case errors.Is(err, fs.ErrNotExist):
		http.Error(w, "there is no such page", http.StatusNotFound)
		return
	case err != nil:
		http.Error(w, "the page could not be read", http.StatusInternalServerError)
		return
	}
	h := w.Header()
	h.Set("Content-Type", kind)
	if strings.HasPrefix(name, "assets/") {
		// The bundler puts a hash of the content into the names of the files in assets/, so a file never changes.
		h.Set("Cache-Control", "private, max-age=31536000, immutable")
	} else {
		h.Set("Cache-Control", "no-cache")
	}
	if name == index {
		serveIndex(w, r, string(f.body))
		return
	}
	body, etag := f.body, f.etag
	h.Set("Vary", "Accept-Encoding")
	if f.packed != nil && acceptsGzip(r) {
		h.Set("Content-Encoding", "gzip")
		body, etag = f.packed, f.etag+"-gz"
	}
	h.Set("ETag", `"`+etag+`"`)
	http.ServeContent(w, r, name, time.Time{}, bytes.NewReader(body))
}

// serveIndex answers with the page itself, and a nonce that no other answer has. It sends no ETag: a 304 would come
// with another nonce than the page that the browser keeps.
func serveIndex(w http.ResponseWriter, r *http.Request, text string) {
	nonce := rand.Text()
	allow(w, "style-src", "'self' 'nonce-"+nonce+"'")
	http.ServeContent(w, r, index, time.Time{}, strings.NewReader(strings.Replace(text, noncePlace, nonce, 1)))
}

func (p *page) load(name string) (*pageFile, error) {
	if p.files == nil {
		return nil, fs.ErrNotExist
	}
	info, err := fs.Stat(p.files, name)
	if err != nil {
		return nil, fmt.Errorf("find %s: %w", name, err)
	}
	if !info.Mode().IsRegular() {
		return nil, fs.ErrNotExist
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if f := p.cache[name]; f != nil && f.modified.Equal(info.ModTime()) && f.size == info.Size() {
		return f, nil
	}
	body, err := fs.ReadFile(p.files, name)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	sum := sha256.Sum256(body)
	f := &pageFile{
		modified: info.ModTime(), size: info.Size(), body: body,
		etag: hex.EncodeToString(sum[:12]),
	}
	switch path.Ext(name) {
	case ".html", ".js", ".mjs", ".css", ".json", ".map", ".svg", ".wasm", ".txt":
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		_, err := z.Write(body)
		if err := errors.Join(err, z.Close()); err != nil {
			return nil, fmt.Errorf("compress %s: %w", name, err)
		}
		if b.Len() < len(body)*9/10 {
			f.packed = b.Bytes()
		}
	}
	p.cache[name] = f
	return f, nil
}

func acceptsGzip(r *http.Request) bool {
	for part := range strings.SplitSeq(r.Header.Get("Accept-Encoding"), ",") {
		name, params, _ := strings.Cut(strings.TrimSpace(part), ";")
		if strings.EqualFold(strings.TrimSpace(name), "gzip") {
			return strings.ReplaceAll(params, " ", "") != "q=0"
		}
	}
	return false
}
