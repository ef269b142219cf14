// Package plural knows the plural forms of languages, as CLDR has them. A program for browsers must
// not import it: the server chooses the forms.
package plural
