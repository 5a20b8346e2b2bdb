"""The names of built-in functions and methods, by language family.

They are the names that languages and their standard libraries give to the functions and methods called most: those of
strings, lists, maps, streams, files and the like. A call of such a name on an unknown receiver is no evidence for the
one method of the project that has the name too, so it is linked only where the receiver is known. Names in all families
are listed first.
"""

from __future__ import annotations

_COMMON_NAMES = frozenset(
    """
    add all any append apply call clear clone close compare concat contains copy count create delete each empty end
    entries equals exec exists exit extend fetch fill filter find first flush format forEach get has hash index indexOf
    insert invoke is join key keys last len length lock map match max merge min name new next open parse peek pop print
    push put read reduce remove replace reset resolve reverse run seek send set shift size slice sort split start stop
    sub substring sum take test then toString trim type unlock update value values wait write zip
    """.split()
)

_NAMES_BY_FAMILY = {
    "python": """
    abs ascii bin bool bytearray bytes callable capitalize casefold center chr classmethod compile complex
    copysign decode dict difference dir discard divmod encode endswith enumerate eval expandtabs float
    frozenset fromkeys getattr getvalue globals group groupdict groups hasattr hex id input int intersection isalnum
    isalpha isascii isdecimal isdigit isidentifier isinstance islower isnumeric isspace issubclass issubset issuperset
    istitle isupper items iter kill list ljust locals lower lstrip mkdir object oct ord partition popitem popleft pow
    property range readline readlines release repr rfind rindex rjust rpartition round rsplit rstrip search
    setattr setdefault sorted startswith staticmethod str strip super swapcase symmetric_difference tell terminate
    title translate tuple union upper vars with_suffix writelines zfill finditer findall fullmatch submit result
    cancel done acquire notify info debug warning error exception critical log date time now isoformat strftime
    timestamp total_seconds year cursor execute commit rollback fetchone fetchall connect bind listen accept recv
    """,
    "javascript": """
    addEventListener appendChild assign at bind catch charAt charCodeAt codePointAt createElement defineProperty
    dispatchEvent emit endsWith error every fetch finally findIndex findLast flat flatMap flush focus freeze from
    fromEntries getAttribute getElementById getItem getOwnPropertyNames getTime hasOwnProperty includes info isArray
    isInteger isNaN json lastIndexOf listen localeCompare log matchAll now of off on once pad padEnd padStart
    parseFloat parseInt pipe preventDefault querySelector querySelectorAll race reject removeEventListener
    repeat replaceAll require search setAttribute setInterval setItem setTimeout some splice startsWith stringify
    substr text toFixed toISOString toLowerCase toUpperCase trimEnd trimStart unshift valueOf warn debug isPrototypeOf
    Array Boolean Date Error Map Number Object Promise RegExp Set String Symbol URL catch toEqual toBe expect describe
    it beforeEach afterEach
    """,
    "go": """
    Abs Add After Args As Base Bool Buffered Byte Bytes Cap Cancel Clean Close Contains Context Copy Count Decode Dir
    Do Done Encode Err Error Errorf Exec Exit Fatal Fatalf Fields Find Flush Format Fprint Fprintf Fprintln Get Has
    HasPrefix HasSuffix Hour Info Index Int Interface Is Join Key Kind Len Less Load Lock Log Logf Lower Map Marshal
    Name Next New Now Nil Open Parse Print Printf Println Push Put Query Range Read ReadAll Replace Reset Reverse Run
    Scan Seek Set Skip Sleep Sort Split Sprint Sprintf Start Stat Stop Store String Sub Sum Swap Tell Time Title
    ToLower ToUpper Trim Type Unlock Unmarshal Unwrap Value Values Wait Walk Write WriteString append cap close
    complex copy delete imag len make max min new panic print println real recover
    """,
    "rust": """
    abs and_then as_bytes as_mut as_ptr as_ref as_slice as_str assert assert_eq assert_ne await borrow borrow_mut
    bytes cast chain chars chunks cloned cmp collect contains_key copied cycle deref drain drop dbg
    ends_with entry enumerate eq eprintln err expect extend_from_slice filter_map find_map finish flat_map flatten fmt
    fold for_each from from_str from_utf8 fuse get_mut get_or_insert_with inspect into into_inner into_iter is_empty
    is_err is_none is_ok is_some iter iter_mut last_mut lines load map_err matches ne nth ok ok_or ok_or_else or
    or_else or_insert or_insert_with panic partial_cmp partition poll position println product recv rev retain skip
    skip_while sort_by sort_by_key split_at split_whitespace starts_with step_by store swap take_while to_be_bytes
    to_le_bytes to_lowercase to_owned to_string to_uppercase to_vec truncate try_from try_into unwrap unwrap_err
    unwrap_or unwrap_or_default unwrap_or_else vec windows with_capacity write_all write_str writeln zip Some None Ok
    Err Box Vec default join spawn now elapsed as_mut_ptr is_null offset
    into_raw_fd from_raw_fd as_raw_fd as_fd get_unchecked_mut get_unchecked as_deref is_some_and
    resume_unwind path metadata file_name display permissions write_vectored fetch_add compare_exchange wake_by_ref wake
    """,
    "jvm": """
    accept addAll addFirst addLast also and append apply asList assertEquals assertTrue associate average charAt
    collect compareTo computeIfAbsent containsKey containsValue copyOf countDown distinct drop element emptyList
    endsWith entrySet error exception execute filterNot findFirst flatMap fold foldLeft foldRight getAndSet getBytes
    getClass getKey getMessage getName getOrDefault getOrElse getValue groupBy hasNext hashCode head headOption
    isAssignableFrom isBlank isDefined isEmpty isInstance isInterrupted isNotEmpty isPresent it iterator joinToString
    keySet lastIndexOf lastOption let limit listOf map mapOf mapToInt mkString newInstance nonEmpty notify notifyAll
    ofNullable offer orElse orElseGet orElseThrow poll printf println printStackTrace putAll putIfAbsent
    readLine removeAll removeIf repeat require requireNonNull reversed setOf shutdown sleep sorted startsWith
    stream submit subList subSequence synchronized tail takeIf takeWhile to toArray toByteArray toCharArray toInt
    toList toLong toLowerCase toMap toSeq toSet toUpperCase use valueOf warn with withFilter yield zipWithIndex
    mutableListOf mutableMapOf arrayOf check println print lazy run launch info debug trace
    """,
    "c": """
    abort abs accept append assert at atoi atol back begin bind c_str calloc cbegin cend ceil connect count
    data emplace emplace_back erase exp fabs fclose fgets find_if floor fopen fprintf fputs fread free front fseek
    ftell fwrite getenv insert isdigit isspace key listen load log lower_bound make_pair make_shared make_unique malloc
    memcmp memcpy memmove memset move perror pop_back pop_front pow printf push_back push_front puts qsort rand rbegin
    realloc recv rend reserve resize scanf second signal sizeof snprintf socket sprintf sqrt sscanf static_cast
    store strcat strchr strcmp strcpy strdup strerror string strlen strncmp strncpy strrchr strstr strtol strtoul
    substr swap time to_string tolower toupper upper_bound va_end va_start vector vsnprintf what
    """,
    "csharp": """
    Add AddRange Aggregate All Any Append AppendLine Array AsSpan Average Cast Clear Close Compare CompareTo Concat
    ConfigureAwait Contains ContainsKey Copy CopyTo Count Create Dispose Distinct ElementAt Empty EndsWith Equals
    Except Exists Find First FirstOrDefault Flush Format Get GetAwaiter GetBytes GetEnumerator GetHashCode GetMethod
    GetResult GetString GetType GetValue GroupBy Group IndexOf Insert Intersect Invoke IsNullOrEmpty Join Last Length
    Max Min MoveNext New OfType OrderBy OrderByDescending Parse Peek Pop Print Push Range Read ReadLine Remove Replace
    Reset Resize Reverse Run Select SelectMany Sequence SequenceEqual Set SetValue Single SingleOrDefault Skip Slice
    Sort Split Start StartsWith Stop Substring Sum Take ThenBy ToArray ToDictionary ToList ToLower ToString ToUpper
    Trim TrimEnd TrimStart TryGetValue TryParse Union Wait Where Write WriteLine Zip nameof
    """,
    "ruby": """
    abs all? any? assert assert_equal assoc at attr attr_accessor attr_reader attr_writer alias_method between? block
    block_given? blank? camelize capitalize catch ceil chars chomp chop class class_eval class_exec collect
    compact concat constantize cycle deep_dup define_method delegate delete_if delete_at detect dig downcase drop dump
    dup each_pair each_with_index each_with_object empty? encode ends_with? end_with? eql? equal? eval expand_path
    except extend extract_options! fail file? find_all flat_map flatten floor force_encoding freeze frozen? fetch gsub
    gsub! group_by has_key? hash head html_safe include include? inject inspect instance_eval instance_exec
    instance_variable_get instance_variable_set instance_methods is_a? itself key? kind_of? lambda last ljust load loop
    lstrip map! match? member? merge! method method_missing methods module_eval module_function name nil? none? now
    object_id one? p pack partition pluck prepend present? presence private proc protected public public_send puts
    raise rand readlines redo refine reject reject! rescue respond_to? result reverse_each rewind rindex rjust round
    rstrip scan select select! send singleton_class sleep sort_by split squeeze start_with? step store strftime string
    strip sub sub! sum superclass swap symbolize_keys synchronize tail take_while tap throw times to_a to_ary to_h to_i
    to_json to_f to_param to_proc to_s to_str to_sym transform_keys transform_values try underscore union uniq unpack
    unshift upcase upto values_at yield zero? id save destroy where order limit build tr call ord index_by warn hex utc
    Array Class Date DateTime Exception File Float Hash Integer Kernel Logger Module Mutex Numeric Object Proc Range Set
    StandardError String Struct Symbol Thread Time
    """,
    "php": """
    abort array_filter array_keys array_map array_merge array_values collect compact config count date define
    dispatch dirname emit error explode file_exists file_get_contents file_put_contents fopen fwrite implode in_array
    info is_array is_callable is_null is_string isEmpty json_decode json_encode log method_exists offsetExists
    offsetGet offsetSet preg_match preg_replace printf sprintf str_replace strlen strpos strtolower strtoupper
    substr time toArray var_dump where all each filter first last pluck isNotEmpty only except make bind instance
    format getMessage getName getValue setValue withArgs andReturn shouldReceive once assertEquals assertSame
    assertTrue assertFalse expects method with willReturn
    """,
    "swift": """
    abs append assert bind cancel compactMap contains count decode description dropFirst encode enumerated fatalError
    first flatMap forEach hasPrefix hasSuffix init insert isEmpty joined lowercased makeIterator map max min
    prefix print precondition resume reversed sorted suffix sync async uppercased
    """,
    "lua": """
    assert byte char collectgarbage concat error find floor format gmatch gsub getmetatable insert ipairs loadstring
    lower match maxn min next pairs pcall print random rawget rawset rep require select setmetatable sort sub tonumber
    tostring type unpack upper xpcall schedule tbl_map tbl_filter deepcopy notify inspect
    """,
    "elixir": """
    assert delete drop elem get get_in fetch fetch! inspect is_atom is_binary is_function is_list is_map is_nil length
    map_size max min not pop put put_in raise reduce rem round self send spawn throw to_string tuple_size update_in
    start_link init handle_call handle_cast handle_info terminate child_spec hd tl unquote apply exit reraise
    """,
    "haskell": """
    concatMap const curry drop either elem error even filter flip foldl foldr fmap fromIntegral fromMaybe fst head id
    init last lines lookup mapM mapM_ maybe mconcat mempty not null otherwise print pure putStrLn return reverse
    sequence show snd splitAt tail takeWhile traverse uncurry unlines unwords when words zipWith Just Left Right Nothing
    """,
    "bash": "cd echo eval exit export local printf read return set shift source test unset",
    "zig": "alloc append appendSlice deinit destroy dupe eql expect expectEqual init items print toOwnedSlice",
}

_BUILTINS_BY_FAMILY = {family: _COMMON_NAMES | frozenset(words.split()) for family, words in _NAMES_BY_FAMILY.items()}


def is_builtin(family: str, name: str) -> bool:
    """Return whether a name is mostly one of a language of this family, or of its library."""
    return name in _BUILTINS_BY_FAMILY.get(family, _COMMON_NAMES)
