/// The script that completes a program's command line in bash.
struct BashCompletion {
  private let name: String
  private let commands: [CompletedCommand]

  init(_ table: ProgramTable) {
    name = table.name
    commands = table.completed
  }

  var text: String {
    """
    # Completes the command line of \(name) in bash.
    \(asker)\(function)() {
    \(asksProgram ? ownWords : "")  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}
      local verb='' word option index=1 operands=0 options='' valued='' words='' kind='' ended=''
      # --option=value arrives as three words.
      if [[ $current == = ]]; then
        current=''
      elif [[ $previous == = ]]; then
        previous=${COMP_WORDS[COMP_CWORD-2]}
      fi
      COMPREPLY=()
    \(choiceOfVerb)  case $verb in
    \(commands.map(declarations).joined(separator: "\n"))
      *) return ;;
      esac
      while ((index < COMP_CWORD)); do
        word=${COMP_WORDS[index]}
        if [[ -n $ended || $word != -* || $word == - ]]; then
          ((operands += 1))
        elif [[ $word == -- ]]; then
          ended=yes
        elif [[ ${COMP_WORDS[index+1]} == = ]]; then
          ((index += 2))
        elif [[ " $valued " == *" $word "* ]]; then
          ((index += 1))
        fi
        ((index += 1))
      done
      if [[ -z $ended && " $valued " == *" $previous "* ]]; then
        case $verb:$previous in
    \(commands.flatMap(values).joined(separator: "\n"))
        esac
      elif [[ -z $ended && $current == -* ]]; then
        for option in $options; do
          # An option that is there already is offered again only if it may be repeated.
          [[ $option == *... || " ${COMP_WORDS[*]} " != *" $option "* ]] && words+=" ${option%...}"
        done
      else
        case $verb:$operands in
    \(commands.flatMap(operands).joined(separator: "\n"))
        esac
      fi
      case $kind in
        files) compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$current") ;;
    \(asksProgram ? "    own:*) \(function)_own \"${kind#own:}\" ;;\n" : "")\
        interfaces) mapfile -t COMPREPLY < <(compgen -W "$(ls /sys/class/net 2>/dev/null)" -- "$current") ;;
        *) mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current") ;;
      esac
    }
    complete -F \(function) \(name)
    """
  }

  private var function: String { "_" + name.map { $0.isLetter || $0.isNumber ? $0 : "_" } }

  private var asksProgram: Bool {
    commands.contains { command in
      (command.operands.map(\.completion) + command.options.map(\.completion)).contains {
        if case .own = $0 { true } else { false }
      }
    }
  }

  /// Functions that offer the lines that the program writes. They may come from the network: they are compared and quoted, and reach
  /// neither `eval` nor `compgen -W`, which would run what is in `$(…)`.
  ///
  /// The line is taken apart here: `COMP_WORDS` also separates at the characters of `COMP_WORDBREAKS`, such as a colon in a name. Of the
  /// current word readline replaces what follows the last such character that is not quoted, and closes an open quotation mark.
  private var asker: String {
    guard asksProgram else { return "" }
    return #"""
      \#(function)_split() {
        local line=${COMP_LINE:0:COMP_POINT} character='' place
        split=() typed='' kept='' quote=''
        for ((place = 0; place < ${#line}; place++)); do
          character=${line:place:1}
          if [[ $quote == "'" ]]; then
            if [[ $character == "'" ]]; then quote=''; else typed+=$character; fi
          elif [[ $character == \\ && ( -z $quote || ${line:place+1:1} == [\"\\\$\`] ) ]]; then
            typed+=${line:place+1:1}
            ((place += 1))
          elif [[ $quote == '"' ]]; then
            if [[ $character == '"' ]]; then quote=''; else typed+=$character; fi
          elif [[ $character == "'" || $character == '"' ]]; then
            quote=$character kept=$typed
          elif [[ $character == [[:space:]] ]]; then
            [[ -z $typed ]] || \#(function)_add
            typed='' kept=''
          else
            typed+=$character
            [[ $COMP_WORDBREAKS != *"$character"* ]] || kept=$typed
          fi
        done
        \#(function)_add
      }
      \#(function)_add() {
        if [[ $typed == --*=* ]]; then
          split+=("${typed%%=*}" "=")
          [[ -z ${typed#*=} ]] || split+=("${typed#*=}")
        else
          split+=("$typed")
        fi
      }
      \#(function)_own() {
        local name='' rest='' backslash=\\
        while IFS= read -r name; do
          [[ ${name:0:${#typed}} == "$typed" ]] || continue
          rest=${name:${#kept}}
          # Within quotation marks nothing hides an exclamation mark from the history.
          [[ -z $quote || $rest != *'!'* ]] || continue
          case $quote in
            '"')
              rest=${rest//"$backslash"/"$backslash$backslash"}
              for name in '"' '$' '`'; do rest=${rest//"$name"/"$backslash$name"}; done
              ;;
            "'") rest=${rest//"'"/"'$backslash''"} ;;
            *) printf -v rest %q "$rest" ;;
          esac
          # readline closes the quotation, unless its mark stands there already.
          [[ -z $quote || $rest != *"$quote" ]] || rest+=$quote
          COMPREPLY+=("$rest")
        done < <(command \#(name) "$1" 2>/dev/null)
      }

      """#
  }

  private var ownWords: String {
    """
      local -a split=()
      local typed='' kept='' quote=''
      if [[ -n ${COMP_LINE-} ]]; then
        \(function)_split
        local -a COMP_WORDS=("${split[@]}")
        local COMP_CWORD=$((${#split[@]} - 1))
      fi

    """
  }

  private var verbs: [String] { commands.compactMap(\.verb) }

  private var choiceOfVerb: String {
    guard !verbs.isEmpty else { return "" }
    return """
        verb=${COMP_WORDS[1]}
        index=2
        if ((COMP_CWORD == 1)); then
          mapfile -t COMPREPLY < <(compgen -W \(words(verbs + ["--help", "--version"])) -- "$current")
          return
        fi

      """
  }

  /// Words that contain no white space, for `compgen -W`.
  private func words(_ words: [String]) -> String { words.joined(separator: " ").quotedForShell }

  private func declarations(_ command: CompletedCommand) -> String {
    let options = command.options.map { "--\($0.name)\($0.isRepeatable ? "..." : "")" } + ["--help", "--version"]
    let valued = command.options.filter { $0.placeholder != nil }.map { "--\($0.name)" }
    return "  \(pattern(command))) options=\(words(options)) valued=\(words(valued)) ;;"
  }

  private func pattern(_ command: CompletedCommand) -> String { command.verb ?? "''" }

  private func values(_ command: CompletedCommand) -> [String] {
    command.options.compactMap { option in
      offer(option.completion).map { "      \(pattern(command)):--\(option.name)) \($0) ;;" }
    }
  }

  private func operands(_ command: CompletedCommand) -> [String] {
    command.operands.enumerated().compactMap { place, operand in
      let number = operand.count.upperBound > 1 ? "*" : String(place)
      return offer(operand.completion).map { "      \(pattern(command)):\(number)) \($0) ;;" }
    }
  }

  private func offer(_ completion: Completion) -> String? {
    switch completion {
    case .nothing: nil
    case .words(let list): "words=\(words(list))"
    case .files: "kind=files"
    case .interfaces: "kind=interfaces"
    case .own(let argument): "kind=own:\(argument)"
    }
  }
}
