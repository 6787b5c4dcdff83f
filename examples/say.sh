# For the demonstrations: words, and commands that are shown before they run.

say()
{
    echo
    printf '# %s\n' "$@"
}

# Runs a command line that may be refused, and shows how it ended.
show()
{
    printf '$ %s\n' "$1"
    status=0
    sh -c "$1" 2>&1 || status=$?
    if [ "$status" -ne 0 ]; then printf '(exit code %s)\n' "$status"; fi
}
