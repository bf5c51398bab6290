# Reads a Markdown page and prints its findings of language, a line each: "LINE TEXT". Findings are sentences of more than `most` words,
# relative clauses as subjects, words that no native engineer writes, and programs that talk. Code, links' targets and headings are no
# prose. Called by .ci/docs.

function finding(text) {
    print start " " text
}

function check_sentence(sentence,    words, lower, parts) {
    gsub(/^[ *_(]+|[ *_)]+$/, "", sentence)
    if (sentence == "") {
        return
    }
    lower = tolower(sentence)
    if (sentence ~ /^(what|who|whoever|whatever) / && sentence !~ /\?$/ && sentence !~ /^what (to|you) /) {
        finding("begins with a relative clause; name the subject: " sentence)
    }
    if (match(lower, /(^|[^a-z-])(listener|server|client|agent|peer|node|nifi|port|harness)s? (says?|hears?|tells?|wants?)([^a-z]|$)/)) {
        finding("has a program that talks, '" substr(lower, RSTART, RLENGTH) "'; it logs, sends, needs: " sentence)
    }
    if (match(lower, /(^|[;,(] )(what|who) (is|are|was|were|has|have|can|may|waits|comes|arrives|follows) [^?]*$/)) {
        finding("has a relative clause for a noun: " sentence)
    }
    if (sentence ~ /^(What|Who|Whoever|Whatever|That which|Those that|Those which|Those who|He who)[ ,]/ && sentence !~ /\?$/) {
        finding("begins with a relative clause; name the subject: " sentence)
    }
    if (match(lower, /(^|[^a-z-])(hence|anew|whoever|whosoever|mend|mends|mended|mending|in vain|but for|by itself alone|has to be had|therein|thereof|likewise so|some [0-9][0-9,]*)([^a-z0-9-]|$)/)) {
        finding("has '" substr(lower, RSTART, RLENGTH) "': " sentence)
    }
    if (lower ~ /(^|[;:,(] )(or )?else([^a-z]|$)/) {
        finding("has 'else' for 'otherwise': " sentence)
    }
    words = split(sentence, parts, /[ ]+/)
    if (words > most) {
        finding("has " words " words, more than " most ": " sentence)
    }
}

function flush_paragraph(    text, end) {
    text = paragraph
    paragraph = ""
    while (match(text, /[.!?][)*"']*( |$)/)) {
        end = RSTART + RLENGTH - 1
        check_sentence(substr(text, 1, RSTART))
        text = substr(text, end + 1)
    }
    check_sentence(text)
}

function plain(line) {
    gsub(/`[^`]*`/, "X", line)
    gsub(/<[^>]*>/, "", line)
    line = gensub_links(line)
    gsub(/^\*\*[^*]*\*\*/, "", line)
    return line
}

function gensub_links(line,    before, text) {
    while (match(line, /\[[^]]*\]\([^)]*\)/)) {
        before = substr(line, 1, RSTART - 1)
        text = substr(line, RSTART + 1, RLENGTH - 1)
        sub(/\]\(.*/, "", text)
        line = before text substr(line, RSTART + RLENGTH)
    }
    return line
}

/^ *```/ { flush_paragraph(); code = !code; next }
code { next }
/^ *$/ { flush_paragraph(); blank = 1; next }
blank && /^    / && !/^ *([-*]|[0-9]+\.) / && !list { next }
/^#/ || /^<!--/ { flush_paragraph(); blank = 0; list = 0; next }
/^ *\|/ {
    flush_paragraph()
    start = FNR
    row = $0
    gsub(/\\\|/, "/", row)
    gsub(/`[^`]*`/, "X", row)
    cells = split(row, cell, "|")
    for (i = 2; i < cells; i++) {
        paragraph = plain(cell[i])
        gsub(/^ +| +$/, "", paragraph)
        flush_paragraph()
    }
    blank = 0
    next
}
/^ *([-*]|[0-9]+\.) / {
    flush_paragraph()
    list = 1
    sub(/^ *([-*]|[0-9]+\.) /, "")
}
/^[^ ]/ && blank { list = list && /^ *([-*]|[0-9]+\.) / }
{
    if (paragraph == "") {
        start = FNR
    }
    sub(/^ +/, "")
    paragraph = paragraph (paragraph == "" ? "" : " ") $0
    # Inline code and links may go on in the next line; they are taken out when they are complete.
    paragraph = plain(paragraph)
    blank = 0
}
END { flush_paragraph() }
