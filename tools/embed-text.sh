#!/bin/sh
# Writes C that holds a text file as one string. usage: embed-text.sh NAME FILE
printf '/* generated from %s */\nextern const char %s[];\nconst char %s[] =\n' "$2" "$1" "$1"
sed 's/\\/\\\\/g; s/"/\\"/g; s/.*/\t"&\\n"/' "$2"
echo '	;'
