package io.csi4j.fuzz;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * One run of one target: Jazzer in a JVM of its own, which grows inputs from the corpus by what
 * code they reach. What it grows stays in {@code target}, and the next run begins with it; a run
 * with a seed begins with the corpus alone.
 *
 * @param name the target
 * @param inputs how many inputs were tried
 * @param finding the first lines of what was found
 */
public record FuzzRun(String name, long inputs, Optional<String> finding) {

  private static final Path BUILT = Target.ROOT.resolve("testing/fuzzing/target/fuzz");
  private static final Pattern INPUTS =
      Pattern.compile("stat::number_of_executed_units:\\s*(\\d+)");

  /** No input takes longer, in seconds, or more of the heap. */
  private static final int LONGEST = 30;

  private static final String HEAP = "-Xmx512m";

  /** Large, and not ours; or what the code is held against. */
  private static final List<String> UNGUIDED =
      List.of(
          "io.csi4j.client.internal.proto.**",
          "io.csi4j.volume.internal.catalog.proto.**",
          "io.csi4j.volume.internal.claims.proto.**",
          "io.csi4j.volume.internal.fields.proto.**",
          "io.csi4j.volume.internal.plugin.proto.**",
          "io.csi4j.mount.internal.table.PlainParser");

  /**
   * They look for expressions made of an input, of which there are none, at each that is used, and
   * for texts that an expression takes, which the code tells as well.
   */
  private static final String WITHOUT_USE =
      "com.code_intelligence.jazzer.sanitizers.RegexInjection"
          + ":com.code_intelligence.jazzer.sanitizers.RegexRoadblocks";

  /**
   * The end of a run.
   *
   * @param time after so long; as long as it takes if zero
   * @param inputs after so many; as many as come if zero
   * @param seed of the random numbers, for the same inputs each time; others each time if zero
   */
  record Budget(Duration time, long inputs, int seed) {}

  /** Tries a target until its budget is used up or something is found. */
  static FuzzRun of(Target target, Budget budget) throws IOException, InterruptedException {
    return of(target.written(), target.type(), target.folders(), budget);
  }

  static FuzzRun of(String name, Class<?> type, List<Path> corpus, Budget budget)
      throws IOException, InterruptedException {
    Path grown =
        budget.seed() == 0
            ? Files.createDirectories(BUILT.resolve("corpus").resolve(name))
            : Files.createTempDirectory(Files.createDirectories(BUILT), name);
    Path findings = Files.createDirectories(BUILT.resolve("findings"));
    Path log = BUILT.resolve(name + ".log");
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of(HEAP, "-XX:+UseSerialGC"));
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.add("com.code_intelligence.jazzer.Jazzer");
    command.add("--target_class=" + type.getName());
    command.add("--instrumentation_includes=io.csi4j.**");
    command.add("--instrumentation_excludes=" + String.join(":", UNGUIDED));
    command.add("--disabled_hooks=" + WITHOUT_USE);
    command.add("--reproducer_path=" + findings);
    command.addAll(List.of("-artifact_prefix=" + findings + "/" + name + "-", "-max_len=2048"));
    command.addAll(List.of("-timeout=" + LONGEST, "-rss_limit_mb=0", "-print_final_stats=1"));
    if (!budget.time().isZero()) {
      command.add("-max_total_time=" + budget.time().toSeconds());
    }
    if (budget.inputs() > 0) {
      command.add("-runs=" + budget.inputs());
      // Following comparisons takes half of the time or more. Runs for a time do, and what they
      // grow is what the next run begins with.
      command.add("--trace=cov");
    }
    if (budget.seed() != 0) {
      command.add("-seed=" + budget.seed());
    }
    command.add(grown.toString());
    corpus.forEach(folder -> command.add(folder.toString()));
    int code =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start()
            .waitFor();
    String told = Files.readString(log, StandardCharsets.ISO_8859_1);
    Matcher inputs = INPUTS.matcher(told);
    return new FuzzRun(
        name,
        inputs.find() ? Long.parseLong(inputs.group(1)) : 0,
        code == 0 ? Optional.empty() : Optional.of(found(told, code, log)));
  }

  /** What Jazzer says was found, from where it begins to. */
  private static String found(String told, int code, Path log) {
    String[] parts = told.split("== Java (Exception|Assertion Error): ?|(?m)^==\\d+== ", 2);
    String first =
        parts.length < 2
            ? "exit code " + code
            : String.join(" ", parts[1].lines().limit(4).map(String::strip).toList());
    return first + " (all of it: " + log + ")";
  }

  /** Runs the targets that are named, all without any; the page for people is testing/fuzz. */
  public static void main(String[] args) throws IOException, InterruptedException {
    Duration time = Duration.ZERO;
    long inputs = 0;
    Set<Target> targets = EnumSet.noneOf(Target.class);
    for (int i = 0; i < args.length; i++) {
      switch (args[i]) {
        case "--seconds" -> time = Duration.ofSeconds(Long.parseLong(args[++i]));
        case "--inputs" -> inputs = Long.parseLong(args[++i]);
        default -> targets.add(named(args[i]));
      }
    }
    if (targets.isEmpty()) {
      targets = EnumSet.allOf(Target.class);
    }
    Budget budget =
        new Budget(inputs == 0 && time.isZero() ? Duration.ofSeconds(60) : time, inputs, 0);
    List<FuzzRun> runs = new ArrayList<>();
    for (Target target : targets) {
      FuzzRun run = of(target, budget);
      runs.add(run);
      System.out.printf(
          Locale.ROOT,
          "%-15s %,14d inputs  %s%n",
          run.name(),
          run.inputs(),
          run.finding().orElse("nothing found"));
    }
    List<String> verdict = List.of(did(runs), found(runs));
    Files.write(BUILT.resolve("verdict"), verdict);
    System.out.println("fuzz: " + String.join("; found: ", verdict));
    System.exit(runs.stream().anyMatch(run -> run.finding().isPresent()) ? 1 : 0);
  }

  private static Target named(String name) {
    return Stream.of(Target.values())
        .filter(target -> target.written().equals(name))
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "There is no target '"
                        + name
                        + "'. Name one of "
                        + Stream.of(Target.values()).map(Target::written).toList()
                        + "."));
  }

  private static String did(List<FuzzRun> runs) {
    FuzzRun fewest = runs.stream().min(Comparator.comparingLong(FuzzRun::inputs)).orElseThrow();
    long all = runs.stream().mapToLong(FuzzRun::inputs).sum();
    return runs.size() == 1
        ? String.format(Locale.ROOT, "%,d inputs", all)
        : String.format(
            Locale.ROOT,
            "%d targets, %,d inputs, the fewest %,d to %s",
            runs.size(),
            all,
            fewest.inputs(),
            fewest.name());
  }

  private static String found(List<FuzzRun> runs) {
    List<String> names =
        runs.stream().filter(run -> run.finding().isPresent()).map(FuzzRun::name).toList();
    return names.isEmpty() ? "nothing" : "an input in " + String.join(", ", names);
  }
}
