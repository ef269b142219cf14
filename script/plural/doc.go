// Package plural knows the plural forms of languages, as CLDR has them. A program for browsers must not
// import it: its tables are large, and the server chooses the forms.
package plural
