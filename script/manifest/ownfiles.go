package manifest

import (
	"io/fs"
	"path"
)

// LinkError is the error for a path of a mod that leads through a symbolic link. It also counts as
// fs.ErrPermission.
type LinkError struct{ Path string }

func (e *LinkError) Error() string {
	return e.Path + " is a symbolic link: a mod reads only files of its own folder, so put a copy there"
}

// Is makes errors.Is(e, fs.ErrPermission) true.
func (e *LinkError) Is(target error) bool { return target == fs.ErrPermission }

// folders are the entries of a mod's folder that torc looks for.
var folders = []string{"shared", "server", "client", "missions", "test"}

// checkFolders returns an error if one of the mod's standard folders is a symbolic link. A link is
// otherwise an error of the access to a file.
func checkFolders(dir fs.FS) error {
	for _, name := range folders {
		if info, err := fs.Lstat(dir, name); err == nil && info.Mode()&fs.ModeSymlink != 0 {
			return &LinkError{name}
		}
	}
	return nil
}

// ownFiles is the folder of a mod. It follows no symbolic links, because a link can lead into
// another mod.
type ownFiles struct{ dir fs.FS }

// check returns an error if a part of the path is a symbolic link. It leaves other errors to the
// access.
func (f ownFiles) check(name string) error {
	if !fs.ValidPath(name) {
		return &fs.PathError{Op: "open", Path: name, Err: fs.ErrInvalid}
	}
	for i := 0; i <= len(name); i++ {
		if i < len(name) && name[i] != '/' {
			continue
		}
		info, err := fs.Lstat(f.dir, name[:i])
		if err != nil {
			return nil
		}
		if info.Mode()&fs.ModeSymlink != 0 {
			return &LinkError{name[:i]}
		}
	}
	return nil
}

func (f ownFiles) Open(name string) (fs.File, error) {
	if err := f.check(name); err != nil {
		return nil, err
	}
	return f.dir.Open(name)
}

func (f ownFiles) ReadFile(name string) ([]byte, error) {
	if err := f.check(name); err != nil {
		return nil, err
	}
	return fs.ReadFile(f.dir, name)
}

func (f ownFiles) ReadDir(name string) ([]fs.DirEntry, error) {
	if err := f.check(name); err != nil {
		return nil, err
	}
	return fs.ReadDir(f.dir, name)
}

// Stat describes a link itself, so that the file of a link is not missing but an error.
func (f ownFiles) Stat(name string) (fs.FileInfo, error) {
	if err := f.check(path.Dir(name)); err != nil {
		return nil, err
	}
	return fs.Lstat(f.dir, name)
}
