package plural

// set is how the numbers of some languages choose their form: conditions in the notation of CLDR,
// of which the first that holds counts. A number for which none holds has the form other.
type set struct {
	languages                 string // tags, with spaces between
	zero, one, two, few, many string
}

// Conditions that several sets have.
const (
	oneLast     = "v = 0 and i % 10 = 1 and i % 100 != 11"
	fewLast     = "v = 0 and i % 10 = 2..4 and i % 100 != 12..14"
	onlyOne     = "i = 1 and v = 0"
	isOne       = "n = 1"
	isTwo       = "n = 2"
	isZero      = "n = 0"
	firstTwo    = "n = 0..1"
	wholeFirst  = "i = 0,1"
	manyLast    = "v = 0 and i % 10 = 5..9 or v = 0 and i % 100 = 11..14"
	european    = "pt-PT pt-AO pt-CH pt-CV pt-FR pt-GQ pt-GW pt-LU pt-MO pt-MZ pt-ST pt-TL"
	likeEnglish = "ast ca de en et fi fy gl io it ji nl sv sw ur yi " + european
)

// sets are the rules for cardinal numbers of CLDR 32. A language that is not named has only other.
var sets = []set{
	{languages: likeEnglish, one: onlyOne},
	{languages: "af asa az bem bez bg brx ce cgg chr ckb dv ee el eo es eu fo fur gsw ha haw hu jgo jmc ka kaj kcg kk kkj kl ks ksb ku ky lb lg " +
		"mas mgo ml mn nah nb nd ne nn nnh no nr ny nyn om or os pap ps rm rof rwk saq sd sdh seh sn so sq ss ssy st syr ta te teo tig tk tn tr ts " +
		"ug uz ve vo vun wae xh xog", one: isOne},
	{languages: "am as bn fa gu hi kn mr zu", one: "i = 0 or n = 1"},
	{languages: "ff fr hy kab pt", one: wholeFirst},
	{languages: "ak bh guw ln mg nso pa ti wa", one: firstTwo},
	{languages: "tzm", one: firstTwo + " or n = 11..99"},
	{languages: "si", one: "n = 0,1 or i = 0 and f = 1"},
	{languages: "da", one: "n = 1 or t != 0 and i = 0,1"},
	{languages: "is", one: "t = 0 and i % 10 = 1 and i % 100 != 11 or t != 0"},
	{languages: "mk", one: "v = 0 and i % 10 = 1 or f % 10 = 1"},
	{languages: "fil tl", one: "v = 0 and i = 1,2,3 or v = 0 and i % 10 != 4,6,9 or v != 0 and f % 10 != 4,6,9"},
	{languages: "lv prg", zero: "n % 10 = 0 or n % 100 = 11..19 or v = 2 and f % 100 = 11..19",
		one: "n % 10 = 1 and n % 100 != 11 or v = 2 and f % 10 = 1 and f % 100 != 11 or v != 2 and f % 10 = 1"},
	{languages: "lag", zero: isZero, one: "i = 0,1 and n != 0"},
	{languages: "ksh", zero: isZero, one: isOne},
	{languages: "iu kw naq se sma smi smj smn sms", one: isOne, two: isTwo},
	{languages: "shi", one: "i = 0 or n = 1", few: "n = 2..10"},
	{languages: "mo ro", one: onlyOne, few: "v != 0 or n = 0 or n != 1 and n % 100 = 1..19"},
	{languages: "bs hr sh sr", one: oneLast + " or f % 10 = 1 and f % 100 != 11", few: fewLast + " or f % 10 = 2..4 and f % 100 != 12..14"},
	{languages: "gd", one: "n = 1,11", two: "n = 2,12", few: "n = 3..10,13..19"},
	{languages: "sl", one: "v = 0 and i % 100 = 1", two: "v = 0 and i % 100 = 2", few: "v = 0 and i % 100 = 3..4 or v != 0"},
	{languages: "dsb hsb", one: "v = 0 and i % 100 = 1 or f % 100 = 1", two: "v = 0 and i % 100 = 2 or f % 100 = 2",
		few: "v = 0 and i % 100 = 3..4 or f % 100 = 3..4"},
	{languages: "he iw", one: onlyOne, two: "i = 2 and v = 0", many: "v = 0 and n != 0..10 and n % 10 = 0"},
	{languages: "cs sk", one: onlyOne, few: "i = 2..4 and v = 0", many: "v != 0"},
	{languages: "pl", one: onlyOne, few: fewLast, many: "v = 0 and i != 1 and i % 10 = 0..1 or v = 0 and i % 10 = 5..9 or v = 0 and i % 100 = 12..14"},
	{languages: "be", one: "n % 10 = 1 and n % 100 != 11", few: "n % 10 = 2..4 and n % 100 != 12..14",
		many: "n % 10 = 0 or n % 10 = 5..9 or n % 100 = 11..14"},
	{languages: "ru uk", one: oneLast, few: fewLast, many: "v = 0 and i % 10 = 0 or " + manyLast},
	{languages: "lt", one: "n % 10 = 1 and n % 100 != 11..19", few: "n % 10 = 2..9 and n % 100 != 11..19", many: "f != 0"},
	{languages: "mt", one: isOne, few: "n = 0 or n % 100 = 2..10", many: "n % 100 = 11..19"},
	{languages: "br", one: "n % 10 = 1 and n % 100 != 11,71,91", two: "n % 10 = 2 and n % 100 != 12,72,92",
		few: "n % 10 = 3..4,9 and n % 100 != 10..19,70..79,90..99", many: "n != 0 and n % 1000000 = 0"},
	{languages: "ga", one: isOne, two: isTwo, few: "n = 3..6", many: "n = 7..10"},
	{languages: "gv", one: "v = 0 and i % 10 = 1", two: "v = 0 and i % 10 = 2", few: "v = 0 and i % 100 = 0,20,40,60,80", many: "v != 0"},
	{languages: "ar ars", zero: isZero, one: isOne, two: isTwo, few: "n % 100 = 3..10", many: "n % 100 = 11..99"},
	{languages: "cy", zero: isZero, one: isOne, two: isTwo, few: "n = 3", many: "n = 6"},
}
