package io.csi4j.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * Writes the first page of the results, with the rows that matter most to a reader, and the page of
 * all goals. The arguments are the directory and the families.
 */
public final class Summary {

  /**
   * A row of the first page.
   *
   * @param text a description of the operation for a reader who has not seen the family's page
   * @param family the family that measures it
   * @param operation the operation in the family's table
   * @param limit the limit in the family's table
   * @param size the size in the family's table
   */
  private record Choice(String text, String family, String operation, String limit, int size) {}

  private static final String BARE_LIFECYCLE =
      "4 bare calls, 3 synced appends, 2 directories made and removed";
  private static final String TABLE = "C: listmount, mountinfo parsed, listmount";
  private static final String JETCD = "three transactions of bare jetcd, without a look";

  private static final List<Choice> FIRST =
      List.of(
          new Choice("Probe", "calls", "Probe, async in place, median, JDK 17", "Go", 1),
          new Choice(
              "NodePublishVolume, blocking",
              "calls",
              "NodePublishVolume, blocking, median, JDK 17",
              "Go",
              1),
          new Choice(
              "NodePublishVolume, 64 callers",
              "calls",
              "NodePublishVolume, async in place, JDK 17",
              "Go",
              64),
          new Choice("mount + unmount", "lifecycle", "mount + unmount", BARE_LIFECYCLE, 1),
          new Choice(
              "mount + unmount, 64 callers", "lifecycle", "mount + unmount", BARE_LIFECYCLE, 64),
          new Choice(
              "mount + unmount, a plugin that really mounts",
              "lifecycle",
              "mount + unmount, a plugin that really mounts",
              "4 bare calls to that plugin",
              1),
          new Choice(
              "restart with 1,000 mounted volumes",
              "many",
              "process started until all are known, real binds",
              "a bare JVM that reads the same",
              1000),
          new Choice("table of 1,000 mounts", "mounts", "whole table", TABLE, 1000),
          new Choice("table of 10,000 mounts", "mounts", "whole table", TABLE, 10_000),
          new Choice("claim + release in etcd", "claims", "in etcd", JETCD, 1),
          new Choice("claim + release in etcd, 64 callers", "claims", "in etcd", JETCD, 64),
          new Choice(
              "memory of a connected host", "start", "resident memory, connected", "bare stub", 1));

  private final Path directory;
  private final List<String> families;

  private Summary(Path directory, List<String> families) {
    this.directory = directory;
    this.families = families;
  }

  /** Writes {@code README.md}, {@code goals.md} and the chart of the first page. */
  public static void main(String[] words) throws IOException {
    Summary summary = new Summary(Path.of(words[0]), List.of(words).subList(1, words.length));
    String count = summary.goals();
    summary.first(count);
    System.out.println(count);
  }

  private void first(String count) throws IOException {
    List<Row> rows = new ArrayList<>();
    StringBuilder table = new StringBuilder();
    for (Choice choice : FIRST) {
      Optional<Row> found = row(choice);
      if (found.isEmpty()) {
        continue;
      }
      Row row = found.get();
      rows.add(row.named(choice.text()));
      table.append(
          String.format(
              Locale.ROOT,
              "| %s | [%s](%s.md) | %s | %s | %s | %s | %s%s |%n",
              choice.text(),
              choice.family(),
              choice.family(),
              row.ours().text(row.unit()),
              row.limit(),
              row.theirs().map(it -> it.text(row.unit())).orElse(""),
              row.ratio().map(Estimate::asRatio).orElse(""),
              row.goal(),
              row.verdict().map(it -> " " + it.text()).orElse("")));
    }
    List<String> charts =
        Chart.write(directory, "first", "csi4j beside Go, C and the bare work", rows);
    StringBuilder out = new StringBuilder("# Results\n\n");
    for (String chart : charts) {
      out.append("![csi4j beside Go, C and the bare work](").append(chart).append(")\n\n");
    }
    out.append(
        """
        Each row was measured in turns with what it is compared with, in one run on one machine. A figure is the median of many short \
        windows, with the range that contains it with 95 % confidence; the ratio is one median divided by the other. A goal is reached or \
        missed if the whole range of the ratio says so, and otherwise *within noise*. [How it is measured](../README.md) · \
        [all goals](goals.md) · the page of each family has all its rows, its day and its machine.

        | operation | family | csi4j | beside | its figure | ratio | goal |
        |---|---|--:|---|--:|--:|---|
        """);
    out.append(table).append('\n').append(count).append('\n');
    Files.writeString(directory.resolve("README.md"), out);
  }

  private Optional<Row> row(Choice choice) throws IOException {
    return Row.read(directory.resolve(choice.family() + ".tsv")).stream()
        .filter(
            row ->
                row.operation().equals(choice.operation())
                    && row.limit().equals(choice.limit())
                    && row.size() == choice.size())
        .findFirst();
  }

  private String goals() throws IOException {
    StringBuilder out =
        new StringBuilder(
            """
            # Goals

            All rows with a goal. [The first page](README.md) has the rows that matter most, and says how to read them. The last \
            column has the ratio of an earlier day, or the figure of csi4j.

            | family | operation | size | csi4j | beside | its figure | ratio | goal | result | earlier |
            |---|---|--:|--:|---|--:|--:|---|---|---|
            """);
    Map<Verdict, Integer> counts = new EnumMap<>(Verdict.class);
    for (String family : families) {
      Earlier earlier = Earlier.of(family);
      for (Row row : Row.read(directory.resolve(family + ".tsv"))) {
        if (row.verdict().isEmpty()) {
          continue;
        }
        counts.merge(row.verdict().get(), 1, Integer::sum);
        out.append(
            String.format(
                Locale.ROOT,
                "| [%s](%s.md) | %s | %d | %s | %s | %s | %s | %s | %s | %s |%n",
                family,
                family,
                row.operation(),
                row.size(),
                row.ours().text(row.unit()),
                row.limit(),
                row.theirs().map(it -> it.text(row.unit())).orElse(""),
                row.ratio().map(Estimate::asRatio).orElse(""),
                row.goal(),
                row.verdict().get().text(),
                earlier.of(row).map(then -> then + " on " + earlier.day()).orElse("")));
      }
    }
    String count =
        String.format(
            Locale.ROOT,
            "Goals: %d reached, %d within noise, %d missed.",
            counts.getOrDefault(Verdict.REACHED, 0),
            counts.getOrDefault(Verdict.WITHIN_NOISE, 0),
            counts.getOrDefault(Verdict.MISSED, 0));
    Files.writeString(directory.resolve("goals.md"), out.append('\n').append(count).append('\n'));
    return count;
  }
}
