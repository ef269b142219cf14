// Package pictures reads the pictures of a mod: the files of its folder pictures.
//
//	pictures/sword.png, pictures/map.webp ──Read──▶ Set ──Find("sword")──▶ picture.Picture
//
// A file comes from whoever wrote the mod. engine/picture checks its type, its size and its pixels
// by the content. A mistake is a Problem with the file.
//
// # Where to read
//
//	read.go  the files, and the pictures by name
package pictures
