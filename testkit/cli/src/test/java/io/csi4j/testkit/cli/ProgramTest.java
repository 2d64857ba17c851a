package io.csi4j.testkit.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.csi4j.testkit.model.ShapePreset;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

class ProgramTest {

  @Test
  void withoutACommandItSaysWhichThereAre() {
    Run run = Run.of();

    assertThat(run.code()).isEqualTo(ExitCode.USAGE);
    assertThat(run.out()).isEmpty();
    assertThat(run.errLines())
        .containsExactly(
            "A command is missing: write plugin, mounts, state, volumes, claims, store, dump or"
                + " completion.",
            "See: csi4j --help");
  }

  @Test
  void theHelpNamesEveryCommandAndEveryExitCode() {
    Run run = Run.of("--help");

    assertThat(run.code()).isZero();
    assertThat(run.err()).isEmpty();
    assertThat(run.outLines())
        .anyMatch(line -> line.startsWith("  plugin "))
        .anyMatch(line -> line.startsWith("  state "))
        .anyMatch(line -> line.startsWith("  dump "))
        .noneMatch(line -> line.startsWith("  serve "))
        .anyMatch(line -> line.startsWith("  0 "))
        .anyMatch(line -> line.startsWith("  1 "))
        .anyMatch(line -> line.startsWith("  2 "))
        .anyMatch(line -> line.startsWith("  3 "))
        .anyMatch(line -> line.startsWith("  4 "));
  }

  @Test
  void everyCommandHasAHelpThatFitsTheScreenAndTellsItsExitCodes() {
    for (CommandLine command : CliPageTest.leaves()) {
      String name = command.getCommandSpec().qualifiedName();
      String[] args = (name.substring("csi4j ".length()) + " --help").split(" ", -1);
      Run run = Run.of(args);

      assertThat(run.code()).as(name).isZero();
      assertThat(run.outLines())
          .as(name)
          .allMatch(line -> line.length() <= 100)
          .contains("Exit codes:")
          .anyMatch(line -> line.startsWith("  0   "))
          .anyMatch(line -> line.startsWith("  2   the command line"));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"plugin", "mounts", "state", "volumes", "claims", "store"})
  void aGroupOfCommandsSaysWhichThereAre(String group) {
    Run run = Run.of(group);

    assertThat(run.code()).isEqualTo(ExitCode.USAGE);
    assertThat(run.errLines()).hasSize(2).last().isEqualTo("See: csi4j " + group + " --help");
    assertThat(run.errLines()).first().asString().startsWith("A command is missing: write ");
    assertThat(Run.of(group, "--help").code()).isZero();
  }

  @ParameterizedTest
  @ValueSource(strings = {"serve", "probe", "check", "proxy", "replay", "report"})
  void theSpellingOfBeforeIsUnderstoodAndNotShown(String command) {
    assertThat(Run.of(command, "--help").outLines())
        .contains("Exit codes:")
        .anyMatch(line -> line.startsWith("Usage: csi4j plugin " + command + " "));
    assertThat(Run.of("plugin", "--help").outLines())
        .anyMatch(line -> line.startsWith("  " + command + " "));
  }

  @Test
  void theCompletionIsAScriptThatKnowsTheCommands() {
    Run run = Run.of("completion", "bash");

    assertThat(run.code()).isZero();
    assertThat(run.out()).startsWith("#!/usr/bin/env bash").contains("holders", "--show-contexts");
    assertThat(Run.of("completion", "tcsh").errLines())
        .first()
        .isEqualTo("There is no completion for 'tcsh'. Write bash, zsh or fish.");
    assertThat(Run.of("completion", "zsh").out()).isEqualTo(run.out());
  }

  /** The words that bash completes a line to, in order, as at a press of the tabulator. */
  private static List<String> completed(Path directory, String line) throws Exception {
    Path script = directory.resolve("csi4j.bash");
    if (!Files.exists(script)) {
      Files.writeString(script, Run.of("completion", "bash").out());
    }
    // Bash itself splits a line that a person types; = is a word then.
    String typed =
        """
        source %s
        compopt() { :; }
        COMP_LINE='%s'
        COMP_POINT=${#COMP_LINE}
        read -ra COMP_WORDS <<<"${COMP_LINE//=/ = }"
        [[ $COMP_LINE != *' ' ]] || COMP_WORDS+=("")
        COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
        $(complete -p csi4j | sed 's/.*-F //; s/ .*//')
        printf '%%s\\n' "${COMPREPLY[@]}"
        """
            .formatted(script, line);
    return ChildProcess.run(directory, List.of("bash", "--norc", "-c", typed)).stream()
        .map(String::strip)
        .toList();
  }

  /** The words that fish completes a line to, each followed by its description. */
  private static List<String> completedByFish(Path directory, String line) throws Exception {
    Path script = directory.resolve("csi4j.fish");
    if (!Files.exists(script)) {
      Files.writeString(script, Run.of("completion", "fish").out());
    }
    String typed = "source %s; complete -C '%s'".formatted(script, line);
    return ChildProcess.run(
        directory, Map.of("HOME", directory.toString()), List.of("fish", "-N", "-c", typed));
  }

  private static List<String> words(List<String> completed) {
    return completed.stream().map(word -> word.replaceFirst("\t.*", "")).toList();
  }

  /** The shells propose values in different orders. */
  @ParameterizedTest
  @ValueSource(strings = {"bash", "fish"})
  void aShellCompletesCommandsOptionsAndTheirValues(String shell, @TempDir Path directory)
      throws Exception {
    assumeHas(shell);
    Map<String, List<String>> wanted =
        Map.of(
            "csi4j sta", List.of("state"),
            "csi4j mounts h", List.of("holders"),
            "csi4j plugin serve --quirk probe-", List.of("probe-without-ready"),
            "csi4j plugin serve --shape full", List.of("full", "full-113", "full-112-and-113"),
            "csi4j plugin serve --without CLONE", List.of("CLONE_VOLUME"),
            "csi4j plugin call NodeGetVolume", List.of("NodeGetVolumeStats", "NodeGetVolumeHealth"),
            "csi4j plugin check --only identity/info/",
                List.of(
                    "identity/info/the-name-is-a-domain-name",
                    "identity/info/the-version-is-told",
                    "identity/info/is-told-on-both-sockets"),
            "csi4j plugin check --json --access-mode multi-node-multi",
                List.of("multi-node-multi-writer"),
            "csi4j completion ", List.of("bash", "zsh", "fish"));
    for (Map.Entry<String, List<String>> each : wanted.entrySet()) {
      List<String> completed =
          shell.equals("fish")
              ? words(completedByFish(directory, each.getKey()))
              : completed(directory, each.getKey());
      assertThat(completed).as(each.getKey()).containsExactlyInAnyOrderElementsOf(each.getValue());
    }
  }

  @Test
  void bashCompletesAValueBehindAnEqualsSign(@TempDir Path directory) throws Exception {
    assertThat(completed(directory, "csi4j plugin serve --shape=no-"))
        .containsExactly("no-staging", "no-attach");
    assertThat(completed(directory, "csi4j plugin serve --shape="))
        .hasSize(ShapePreset.values().length);
  }

  @Test
  void fishDescribesWhatItCompletesAndProposesFilesWhereAFileIsMeant(@TempDir Path directory)
      throws Exception {
    assumeHas("fish");
    Files.createFile(directory.resolve("faults.txt"));

    assertThat(completedByFish(directory, "csi4j plugin serve --faul"))
        .containsExactly("--faults\tWhat goes wrong, as a script; see below");
    assertThat(completedByFish(directory, "csi4j plugin serve --shape=no-a"))
        .singleElement()
        .asString()
        .startsWith("--shape=no-attach\tWhat the plugin is: one of full, ");
    assertThat(words(completedByFish(directory, "csi4j plugin serve --faults " + directory + "/f")))
        .containsExactly(directory + "/faults.txt");
    assertThat(completedByFish(directory, "csi4j plugin serve --node " + directory + "/f"))
        .isEmpty();
    assertThat(words(completedByFish(directory, "csi4j claims ")))
        .containsExactlyInAnyOrder("list", "show", "explain");
    assertThat(words(completedByFish(directory, "/usr/local/bin/csi4j state che")))
        .containsExactly("check");
    assertThat(completedByFish(directory, "csi4j ser")).isEmpty();
  }

  private static void assumeHas(String shell) {
    assumeTrue(
        Stream.of(System.getenv("PATH").split(File.pathSeparator, -1))
            .anyMatch(entry -> Files.isExecutable(Path.of(entry, shell))),
        "there is no " + shell + " on the PATH");
  }

  /** A zsh at a terminal of its own, into which a person types. */
  @Test
  void zshCompletesCommandsAndOptions(@TempDir Path home) throws Exception {
    assumeHas("zsh");
    Files.writeString(home.resolve("csi4j.zsh"), Run.of("completion", "zsh").out());
    String typing =
        """
        zmodload zsh/zpty
        zpty z zsh -f -i
        zpty -w z 'source ~/csi4j.zsh; print REA""DY'
        zpty -r z out '*READY*'
        zpty -w -n z $'csi4j plugin pro\\t\\t'
        zpty -r z out '*probe*proxy*'
        print COMMANDS
        zpty -w -n z $'\\C-ucsi4j plugin proxy --rec\\t\\t'
        zpty -r z out '*--record*--record-secrets*'
        print OPTIONS
        zpty -d z
        """;

    try (ChildProcess zsh =
        ChildProcess.start(
            home, Map.of("HOME", home.toString()), List.of("zsh", "-f", "-c", typing))) {
      assertThat(zsh.code()).as(zsh.err()).isZero();
      assertThat(zsh.out()).isEqualTo("COMMANDS\nOPTIONS\n");
    }
  }

  @Test
  void theVersionIsToldWithTheVersionOfTheSpec() {
    Run run = Run.of("--version");

    assertThat(run.code()).isZero();
    assertThat(run.outLines()).hasSize(2).last().asString().startsWith("CSI 1.13, Java ");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "sevre                            | Unmatched argument at index 0: 'sevre'",
        "probe --endpoint tcp://localhost | write unix:///absolute/path/csi.sock.",
        "probe --endpoint unix:///s --timeout 5 | Write a number and a unit: 250ms, 5s, 2m,"
            + " 1h or 30d.",
        "plugin watch --endpoint unix:///s --timeout 0s | '0s' is too short. Write a time greater",
        "plugin check --endpoint unix:///s --budget 0ms | Write a time greater than zero.",
        "probe --jsn                      | Unknown option: '--jsn'",
        "serve --endpoint unix:///d/csi.sock --shape round | Write full, full-113,"
            + " full-112-and-113,",
        "serve --endpoint unix:///d/csi.sock --quirk round | Write separate-sockets, probe-without",
        "serve --endpoint unix:///d/csi.sock --without ROUND | Write CONTROLLER_SERVICE, ",
        "serve --endpoint unix:///d/csi.sock --host-path /none --shape plain | Use --shape"
            + " csi-sanity or none, and remove",
        "serve --endpoint unix:///d/csi.sock --faults /none | there is no such file",
        "serve --endpoint unix:///d/csi.sock --journal /none/j | there is no such file or directory"
      })
  void aMistakeOnTheCommandLineIsAnsweredWithWhatToWrite(String line, String answer) {
    Run run = Run.of(line.split(" ", -1));

    assertThat(run.code()).isEqualTo(ExitCode.USAGE);
    assertThat(run.out()).isEmpty();
    assertThat(run.err()).contains(answer).contains("See: csi4j");
  }

  /** Found by fuzzing: an argument was repeated with its control characters. */
  @Test
  void anArgumentThatMakesNoSenseIsRepeatedAsTextThatATerminalCanShow() {
    Run run = Run.of("probe", "--\u001b[2Jclear\n");

    assertThat(run.code()).isEqualTo(ExitCode.USAGE);
    assertThat(run.errLines()).first().asString().endsWith("'--\\u001b[2Jclear\\u000a'");
    assertThat(run.err()).doesNotContain("\u001b");
  }

  @Test
  void resultsThatCannotBeWrittenAreAFailure(@TempDir Path directory) throws Exception {
    String program =
        "exec '"
            + ChildProcess.tool("java")
            + "' -XX:TieredStopAtLevel=1 -cp '"
            + System.getProperty("java.class.path")
            + "' "
            + Main.class.getName();
    try (ChildProcess full =
        ChildProcess.start(
            directory, Map.of(), List.of("/bin/sh", "-c", program + " --version > /dev/full"))) {
      assertThat(full.code()).isEqualTo(ExitCode.NO_CONNECTION);
      assertThat(full.err())
          .isEqualTo("Writing to standard output failed, so the output is incomplete.\n");
    }
  }

  @Test
  void anArgumentThatBeginsWithAnAtIsNoFile(@TempDir Path directory) throws IOException {
    Path file = Files.writeString(directory.resolve("arguments"), "--help");

    Run run = Run.of("@" + file);

    assertThat(run.code()).isEqualTo(ExitCode.USAGE);
    assertThat(run.err()).contains("'@" + file + "'");
  }
}
