"""Two-level fractions of minimum aberration: the standard choices, as data.

Up to eleven factors the generators are those that textbooks and the NIST/SEMATECH e-Handbook of
Statistical Methods, section 5.3.3.4.7, print. The others were found by
`mesonet.design.aberration.search` with 40 to 500 starts. In 8 and 16 conditions exhaustive search
finds nothing better; word-length patterns in 32 and 64 conditions are compared with those of J.
Chen, D. X. Sun and C. F. J. Wu, "A catalogue of two-level and three-level fractional factorial
designs with small runs", International Statistical Review 61 (1993). The rest are the best that was
found, which need not be the best there is.
"""

_LETTERS = "abcdefgh"

_WORDS = """
4 3: abc
5 3: ab ac
6 3: ab ac bc
7 3: ab ac bc abc
5 4: abcd
6 4: abc bcd
7 4: abc bcd acd
8 4: bcd acd abc abd
9 4: abc bcd acd abd abcd
10 4: abc bcd acd abd abcd ab
11 4: abc bcd acd abd abcd ab ac
12 4: ab ac bc ad bd acd bcd abcd
13 4: ab ac bc abc ad bd acd bcd abcd
14 4: ab ac bc abc ad bd abd acd bcd abcd
15 4: ab ac bc abc ad bd abd cd acd bcd abcd
6 5: abcde
7 5: abcd abde
8 5: abc abd bcde
9 5: bcde acde abde abce
10 5: abcd abce abde acde bcde
11 5: abc bcd cde acd ade bde
12 5: abc abd acd bcd ace ade abcde
13 5: abc abd acd bcd abe ace ade abcde
14 5: abc abd acd bcd abe ace bce ade abcde
15 5: abc abd acd bcd abe ace bce ade bde abcde
16 5: abc abd acd bcd abe ace bce ade bde cde abcde
17 5: ab abc abd acd bcd abe ace bce ade bde cde abcde
18 5: ab ac abc abd acd bcd abe ace bce ade bde cde abcde
19 5: ab ac abc ad abd acd bcd abe ace bce ade bde cde abcde
20 5: ab ac abc ad abd acd bcd ae abe ace bce ade bde cde abcde
21 5: ab ac abc ad abd acd bcd ae abe ace bce ade bde cde bcde abcde
22 5: ac bc abc ad bd abd acd bcd ae abe ace bce ade bde cde bcde abcde
23 5: ac bc abc ad bd abd acd bcd ae be abe ace bce ade bde cde bcde abcde
24 5: ac bc abc ad bd abd acd bcd ae be abe ace bce ade bde cde acde bcde abcde
25 5: ab ac bc abc ad bd abd acd bcd ae be abe ace bce ade bde cde acde bcde abcde
26 5: ab ac bc abc ad bd abd cd acd bcd ae be abe ace bce ade bde cde acde bcde abcde
27 5: ab ac bc abc ad bd abd cd acd bcd ae be abe ce ace bce ade bde cde acde bcde abcde
28 5: ab ac bc abc ad bd abd cd acd bcd ae be abe ce ace bce ade bde abde cde acde bcde abcde
29 5: ab ac bc abc ad bd abd cd acd bcd abcd ae be abe ce ace bce ade bde abde cde acde bcde abcde
30 5: ab ac bc abc ad bd abd cd acd bcd abcd ae be abe ce ace bce abce ade bde abde cde acde bcde
    abcde
31 5: ab ac bc abc ad bd abd cd acd bcd abcd ae be abe ce ace bce abce de ade bde abde cde acde
    bcde abcde
7 6: abcdef
8 6: abcd abef
9 6: abcd acef cdef
10 6: bcdf acdf abde abce
11 6: cde abcd abf bdef adef
12 6: abc ace bcde acdf bcef abdef
13 6: abd abce abcf acef adef bdef abcdef
14 6: ace bce abde cde bdf acdf bef abcef
15 6: abce abde acde bcde bdf acdf bef adef cdef
16 6: abcd abce abde bcde abcf bdf cdf acef bcef abcdef
17 6: abcd ace abde cde acf bcf abdf cdf aef bef abcdef
18 6: abc bcd abde acde bcf abdf acdf abef acef bdef cdef abcdef
19 6: abc abd abe acde bcde abf bdf cdf abcdf acef bcef def abdef
20 6: abcd abce abde acde bcde acf bcf abdf cdf abef cef adef bdef abcdef
21 6: abd acd bcd abe bce ade bde abf bdf cdf aef bef cef abcef acdef
22 6: abd acd bcd abe bce ade bde cde abf bdf cdf aef bef cef abcef acdef
23 6: abc abd acd bcd abe bce ade bde cde abf acf bdf cdf aef bef cef abcef
24 6: abc abd acd bcd abe bce ade bde cde abf acf bdf cdf aef bef cef abcef def
8 7: abcdefg
9 7: acdfg bcefg
10 7: abcg bcde acdf
11 7: abcg bcde acdf abcdefg
12 7: abcd abef aceg adfg abcdefg
13 7: abc abde abef aceg adfg abcdefg
14 7: abde acdf abef abcg aceg adfg abcdefg
15 7: abcd abde acdf abef abcg aceg adfg abcdefg
16 7: cdf abef acef bdef acg abdeg bcfg abdfg cdefg
17 7: abcd abde acdf abef acef abcg aceg adeg adfg abcdefg
18 7: abcd abde acdf abef acef abcg aceg adeg abfg adfg abcdefg
19 7: abce ade cdf abcdf bdef abg acg abcdeg bfg aefg bcefg cdefg
20 7: abcd abe bcdf cef adef abdg aceg adeg abcdeg bfg abcfg bdefg cdefg
21 7: abce abde acde abdf abef acef abcg abeg bceg adeg acdfg aefg cdefg abcdefg
22 7: abcd bce acde acf cdf abdef bcdef abg acdg deg bfg abdfg aefg abcefg bdefg
23 7: abde abcf adf bdf acef bcdef abdg abeg aceg bceg adeg bdeg cdeg acfg bcdfg defg
24 7: abc bcd abe abcde bcf abdf aef cdef abdg abceg acdeg bcdeg acfg adfg bdfg efg abefg
9 8: abcdefgh
10 8: abcde abefgh
11 8: abcef abcdg acegh
12 8: bdefg acefh bcfgh adfgh
13 8: acdef abcdg abcefh abegh adfgh
14 8: adef bcdef abefg cefh cdegh abdfgh
15 8: abde bcdf defg abcefh abegh bcdegh bdfgh
16 8: acdf abef bcdg aceg abcdh bceh dfgh abcdefgh
17 8: bcde abcdf adeg acefg abeh adfh abcdgh cdfgh abdefgh
18 8: abcdf abef bcdfg acefg defg abcdeh adfh abdgh begh bcefgh
19 8: acd bef abdeg abcfg bcdeh abdfh acefh abcdgh degh afgh bcefgh
20 8: abcef adef acdg bceg bdfg abch cfh abdfh degh abdegh acefgh bcdefgh
21 8: abcd acdf abef bcdg aceg cefg bceh bdeh abfh adgh dfgh aefgh abcdefgh
22 8: abcd bcef abceg acfg cdefg aceh cfh defh abcdefh abdgh cdgh bcegh bfgh aefgh
23 8: abcf bdf abcdef bcg acdfg efg abefg bcdefg abch abefh cdefh degh abdegh bfgh adfgh
24 8: abcef def abeg bceg acdfg abch aeh bdeh cdfh cdegh abcdegh fgh bcdfgh befgh acefgh adefgh
"""
"""Factors, basic factors: for each further factor the product of basic ones, `a` the fastest."""


def _column(word: str) -> int:
    return sum(1 << _LETTERS.index(letter) for letter in word)


def _read(text: str) -> dict[tuple[int, int], tuple[int, ...]]:
    entries = " ".join(text.split()).replace(":", " :").split(" :")
    # What stands before a colon ends with the two numbers of the next entry.
    heads = [entry.split()[-2:] for entry in entries[:-1]]
    bodies = [entry.split()[:-2] for entry in entries[1:-1]] + [entries[-1].split()]
    return {
        (int(factors), int(basic)): tuple(_column(word) for word in words)
        for (factors, basic), words in zip(heads, bodies, strict=True)
    }


CATALOGUE = _read(_WORDS)
"""Columns of the further factors by (factors, basic factors); bit j stands for basic factor j."""
