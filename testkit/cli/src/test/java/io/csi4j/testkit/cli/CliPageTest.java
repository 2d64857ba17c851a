package io.csi4j.testkit.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.client.CsiPlugin;
import io.csi4j.client.model.CsiEndpoint;
import io.csi4j.testkit.FakeCsiPlugin;
import io.csi4j.volume.claim.etcd.EtcdServer;
import io.csi4j.volume.claim.etcd.EtcdTest;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** Runs the examples of docs/cli.md, and holds its reference to what the commands say. */
class CliPageTest {

  private static final Path PAGE = Path.of(System.getProperty("csi4j.root", "."), "docs/cli.md");

  private static final Pattern EXAMPLES = Pattern.compile("(?s)```console\n(.*?)```");
  private static final Pattern HELP =
      Pattern.compile("(?s)<!-- help -->\n(.*?)<!-- end of help -->");
  private static final Pattern COMMANDS = Pattern.compile("(?s)```sh\n(.*?)```");

  /** Prints the words that a shell makes of command lines, one a line. */
  private static final String WORDS =
      """
      csi4j() { printf '%s\\n' csi4j "$@"; }
      java() { shift 2; csi4j "$@"; }
      """;

  private static final String EXIT_CODE = "# exit code ";

  @TempDir Path temp;

  /** One command line of the page, and what it shows. */
  private record Example(String line, List<String> shown) {

    /** The words of the line, as a shell in that directory makes them. */
    List<String> words(Path directory) throws Exception {
      return ChildProcess.run(directory, List.of("/bin/sh", "-c", WORDS + line));
    }

    /** Whether it writes to a store, for which there has to be an etcd. */
    boolean isOfStores() {
      return line.startsWith("csi4j store ");
    }

    int code() {
      return shown.stream()
          .filter(each -> each.startsWith(EXIT_CODE))
          .map(each -> Integer.parseInt(each.substring(EXIT_CODE.length())))
          .findFirst()
          .orElse(0);
    }

    List<String> lines() {
      return shown.stream().filter(each -> !each.startsWith(EXIT_CODE)).toList();
    }
  }

  private static List<Example> examples() throws IOException {
    List<Example> examples = new ArrayList<>();
    for (MatchResult block : EXAMPLES.matcher(Files.readString(PAGE)).results().toList()) {
      for (String line : block.group(1).lines().toList()) {
        if (line.startsWith("$ ")) {
          examples.add(new Example(line.substring(2), new ArrayList<>()));
        } else {
          examples.get(examples.size() - 1).shown().add(line);
        }
      }
    }
    return examples;
  }

  @Test
  void everyExampleShowsWhatItPrints() throws Exception {
    try (ManagedDirectory world = ManagedDirectory.open(temp)) {
      Map<String, String> places =
          Map.of(
              "unix:///run/csi/csi.sock", world.endpoint().toString(),
              "unix:///tmp/csi.sock", "unix://" + temp.resolve("served.sock"),
              "/var/lib/orchestrator/volumes", world.root().toString(),
              "/var/lib/orchestrator/claims", world.claims().toString(),
              "/mnt/data", "/proc",
              "secrets.txt",
                  Files.writeString(temp.resolve("secrets.txt"), "key=hunter2-x\n").toString(),
              "report.zip", temp.resolve("report.zip").toString());
      List<Example> examples = examples().stream().filter(each -> !each.isOfStores()).toList();
      assertThat(examples).hasSizeGreaterThan(15);
      checkAll(examples, places);
    }
  }

  @Test
  @EtcdTest
  void everyExampleOfStoresShowsWhatItPrints() throws Exception {
    try (ManagedDirectory world = ManagedDirectory.open(temp);
        EtcdServer etcd = EtcdServer.start(Files.createDirectory(temp.resolve("etcd")))) {
      List<Example> examples = examples().stream().filter(Example::isOfStores).toList();
      assertThat(examples).hasSize(5);
      checkAll(
          examples,
          Map.of(
              "/var/lib/orchestrator/claims", world.claims().toString(),
              "http://127.0.0.1:2379", etcd.address()));
    }
  }

  private void checkAll(List<Example> examples, Map<String, String> places) throws Exception {
    Path shell = Files.createDirectory(temp.resolve("shell"));
    for (Example example : examples) {
      check(example, example.words(shell), places);
    }
  }

  /** The commands in the blocks of a page: the words that a shell makes of each. */
  private List<String[]> commands(String page, Map<String, String> places) throws Exception {
    StringBuilder lines = new StringBuilder(WORDS);
    COMMANDS
        .matcher(Files.readString(PAGE.resolveSibling(page)))
        .results()
        .forEach(block -> lines.append(block.group(1)));
    List<List<String>> commands = new ArrayList<>();
    for (String word : ChildProcess.run(temp, List.of("/bin/sh", "-c", lines.toString()))) {
      if (word.equals("csi4j")) {
        commands.add(new ArrayList<>());
      } else {
        commands.get(commands.size() - 1).add(replaced(word, places));
      }
    }
    return commands.stream().map(words -> words.toArray(String[]::new)).toList();
  }

  @Test
  void theCommandsOfThePageOnTestingRun() throws Exception {
    Path report = temp.resolve("report.xml");
    try (FakeCsiPlugin plugin = FakeCsiPlugin.open()) {
      List<String[]> commands =
          commands(
              "testing-with-csi4j.md",
              Map.of(
                  "unix:///tmp/csi/", "unix://" + temp + "/",
                  "unix:///run/csi/csi.sock", plugin.endpoint().toString(),
                  "report.xml", report.toString()));
      assertThat(commands).hasSize(3);
      try (Run serve = Run.serving(commands.get(0))) {
        assertThat(Run.of(commands.get(1)).out()).contains("fake.csi4j.example");
        assertThat(serve.ended().code()).as(serve.out()).isZero();
      }
      Run check = Run.of(commands.get(2));
      assertThat(check.code()).as(check.out()).isZero();
      assertThat(report).content().contains("node/");
    }
  }

  @Test
  void theCommandsOfThePageOnTheProxyRun() throws Exception {
    Files.writeString(temp.resolve("faults.txt"), "ListVolumes: drop\n");
    CsiEndpoint between = CsiEndpoint.of(temp.resolve("between.sock"));
    try (FakeCsiPlugin plugin = FakeCsiPlugin.open()) {
      List<String[]> commands =
          commands(
              "proxy.md",
              Map.of(
                  "unix:///run/csi/csi.sock", between.toString(),
                  "unix:///run/csi/plugin.sock", plugin.endpoint().toString(),
                  "unix:///tmp/csi.sock", "unix://" + temp.resolve("replayed.sock"),
                  "calls.jsonl", temp.resolve("calls.jsonl").toString(),
                  "faults.txt", temp.resolve("faults.txt").toString(),
                  "calls.html", temp.resolve("calls.html").toString()));
      assertThat(commands).hasSize(3);
      try (Run proxy = Run.serving(commands.get(0))) {
        try (CsiPlugin client = CsiPlugin.connect(between)) {
          client.identity().getPluginInfo();
        }
        assertThat(proxy.ended().code()).as(proxy.out()).isZero();
      }
      assertThat(temp.resolve("calls.html")).isRegularFile();
      Run replay = Run.of(commands.get(1));
      assertThat(replay.code()).as(replay.out() + replay.err()).isZero();
      try (Run replayed = Run.serving(commands.get(2))) {
        assertThat(replayed.ended().code()).as(replayed.out()).isZero();
      }
    }
  }

  private static void check(Example example, List<String> words, Map<String, String> places) {
    assertThat(words.get(0)).isEqualTo("csi4j");
    String[] args =
        words.stream().skip(1).map(word -> replaced(word, places)).toArray(String[]::new);
    boolean runsOn = List.of("watch", "serve").contains(words.get(2)) || words.contains("--watch");
    try (Run run = runsOn ? Run.serving(args) : Run.of(args)) {
      if (runsOn) {
        run.awaitOut();
        run.end();
      }
      int code = run.code();
      List<String> printed =
          Stream.concat(run.outLines().stream(), run.errLines().stream())
              .filter(line -> !line.startsWith("Checking ") && !line.matches("\\d+/\\d+ .*"))
              .toList();
      assertThat(code).as("%s\n%s", example.line(), printed).isEqualTo(example.code());
      List<String> wanted = example.lines().stream().map(line -> replaced(line, places)).toList();
      assertThat(matches(wanted, printed))
          .as("%s\nprinted:\n%s", example.line(), String.join("\n", printed))
          .isTrue();
    }
  }

  private static String replaced(String text, Map<String, String> places) {
    String made = text;
    for (Map.Entry<String, String> place : places.entrySet()) {
      made = made.replace(place.getKey(), place.getValue());
    }
    return made;
  }

  /** Whether lines are as a page shows them: a line of dots stands for any number of lines. */
  private static boolean matches(List<String> shown, List<String> printed) {
    if (shown.isEmpty()) {
      return printed.isEmpty();
    }
    List<String> others = shown.subList(1, shown.size());
    if (shown.get(0).equals("…")) {
      return Stream.iterate(0, from -> from <= printed.size(), from -> from + 1)
          .anyMatch(from -> matches(others, printed.subList(from, printed.size())));
    }
    return !printed.isEmpty()
        && printed.get(0).matches(pattern(shown.get(0)))
        && matches(others, printed.subList(1, printed.size()));
  }

  private static String pattern(String line) {
    return Arrays.stream(line.split("…", -1)).map(Pattern::quote).collect(Collectors.joining(".*"));
  }

  @Test
  void theReferenceIsTheHelpOfEveryCommand() throws IOException {
    String page = Files.readString(PAGE);
    Matcher help = HELP.matcher(page);
    assertThat(help.find()).isTrue();
    String wanted = HelpReference.of(leaves());
    if (Boolean.getBoolean("csi4j.regenerate")) {
      Files.writeString(
          PAGE, page.substring(0, help.start(1)) + wanted + page.substring(help.end(1)));
      return;
    }
    assertThat(help.group(1))
        .as(
            "docs/cli.md is stale; rewrite it with: mvn test -Dtest=CliPageTest"
                + " -Dsurefire.failIfNoSpecifiedTests=false -Dcsi4j.regenerate=true")
        .isEqualTo(wanted);
  }

  private static CommandLine commands() {
    PrintWriter nowhere = new PrintWriter(new StringWriter());
    return Program.commands(new Console(nowhere, nowhere, false), () -> {});
  }

  /** All commands that do something, but for those that are only spelled as before. */
  static List<CommandLine> leaves() {
    List<CommandLine> leaves = new ArrayList<>();
    collect(commands(), leaves);
    return leaves;
  }

  private static void collect(CommandLine command, List<CommandLine> leaves) {
    boolean isShown = !command.getCommandSpec().usageMessage().hidden();
    boolean isHelp = command.getCommandName().equals("help");
    if (!isShown || isHelp) {
      return;
    }
    if (command.getSubcommands().isEmpty()) {
      leaves.add(command);
    }
    command.getSubcommands().values().forEach(each -> collect(each, leaves));
  }

  @Test
  void everyCommandHasAnExampleThatIsUnderstood() throws Exception {
    for (CommandLine command : leaves()) {
      List<String> lines =
          Arrays.stream(command.getCommandSpec().usageMessage().footer())
              .map(String::strip)
              .map(line -> line.replaceFirst("^source <\\((.*)\\)$|(.*) \\| source$", "$1$2"))
              .filter(line -> line.startsWith("csi4j "))
              .toList();
      assertThat(lines).as(command.getCommandSpec().qualifiedName()).isNotEmpty();
      for (String line : lines) {
        String[] args =
            new Example(line, List.of()).words(temp).stream().skip(1).toArray(String[]::new);
        assertThat(commands().parseArgs(args).errors()).as(line).isEmpty();
      }
    }
  }
}
