package io.csi4j.volume.internal.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.volume.internal.lifecycle.Turn.Moment;
import io.csi4j.volume.internal.port.CrashPoint;
import java.io.IOException;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.provider.Arguments;

/** The page that shows the stories: its arrows are those that the rows of the table tests walk. */
class StoriesPageTest {

  private static final Path PAGE =
      Path.of(System.getProperty("csi4j.root", "."), "docs/stories.md");

  private static final String BEGIN =
      """
      # The way of a volume, step by step

      What the engine does for a mount, a refresh and a release, one moment after the other. \
      At each moment it waits for the answer to one step; what follows which answer is told in one
      file for each way, from top to bottom: `MountStory`, `RefreshStory` and `ReleaseStory` in `volume-manager/node`. \
      The arrows are those that the tables of `LifecycleTest`, `ClearingTest`, `RepairingTest`,
      `ConfirmingTest` and `RefreshingTest` walk. \
      This page is made by `StoriesPageTest`: \
      `mvn test -Dtest=StoriesPageTest -Dsurefire.failIfNoSpecifiedTests=false -Dcsi4j.regenerate=true`.

      """;

  /** The moments of a story, in the order of its file. */
  private static List<Moment<?>> moments(Class<?> story) throws IllegalAccessException {
    List<Moment<?>> moments = new ArrayList<>();
    for (Field field : story.getDeclaredFields()) {
      if (Modifier.isStatic(field.getModifiers()) && field.getType() == Moment.class) {
        Moment<?> moment = (Moment<?>) field.get(null);
        assertThat(moment.name()).isEqualTo(field.getName());
        moments.add(moment);
      }
    }
    return moments;
  }

  /** Where the walks go from each moment. */
  private static Map<String, Set<String>> arrows() {
    Map<String, Set<String>> arrows = new LinkedHashMap<>();
    Stream.of(
            LifecycleTest.publishing(),
            LifecycleTest.publishingThatFails(),
            LifecycleTest.publishingThatIsNotSeen(),
            LifecycleTest.publishingOnBadDisks(),
            LifecycleTest.admission(),
            LifecycleTest.releasing(),
            ClearingTest.clearing(),
            ClearingTest.releasing(),
            ClearingTest.abandoning(),
            RepairingTest.repairing(),
            RepairingTest.inTrouble(),
            ConfirmingTest.acquiring(),
            ConfirmingTest.notFound(),
            ConfirmingTest.mounted(),
            ConfirmingTest.remembered(),
            RefreshingTest.refreshing(),
            RefreshingTest.refreshingThatFails(),
            RefreshingTest.refreshingInTrouble())
        .flatMap(rows -> rows)
        .map(Arguments::get)
        .forEach(
            row ->
                ((Walk) row[1])
                    .moments((Goal) row[2])
                    .forEach(
                        step ->
                            arrows
                                .computeIfAbsent(step.from(), name -> new TreeSet<>())
                                .add(step.to())));
    return arrows;
  }

  private static String picture(List<Moment<?>> moments, Map<String, Set<String>> arrows) {
    List<String> lines = new ArrayList<>();
    Set<String> own = moments.stream().map(Moment::name).collect(Collectors.toSet());
    for (Moment<?> moment : moments) {
      for (String next : arrows.get(moment.name())) {
        // Any moment of a mount may lead back; one arrow for all of them says so.
        if (own.contains(next)) {
          lines.add("  " + moment.name() + " --> " + next);
        }
      }
    }
    return "```mermaid\nflowchart TD\n" + String.join("\n", lines) + "\n```\n";
  }

  private static String table(List<Moment<?>> moments, Map<String, Set<String>> arrows) {
    StringBuilder rows =
        new StringBuilder("| moment | meanwhile | reaches | then |\n|---|---|---|---|\n");
    for (Moment<?> moment : moments) {
      rows.append("| `")
          .append(moment.name())
          .append("` | ")
          .append(moment.doing())
          .append(" | ")
          .append(moment.reached().map(CrashPoint::name).map(name -> "`" + name + "`").orElse(""))
          .append(" | ")
          .append(
              arrows.get(moment.name()).stream()
                  .map(name -> name.equals("NONE") ? "the end" : "`" + name + "`")
                  .collect(Collectors.joining(", ")))
          .append(" |\n");
    }
    return rows.toString();
  }

  @Test
  void thePageShowsTheStoriesAsTheyAre() throws IOException, IllegalAccessException {
    List<Moment<?>> mount = moments(MountStory.class);
    List<Moment<?>> refresh = moments(RefreshStory.class);
    List<Moment<?>> release = moments(ReleaseStory.class);
    Map<String, Set<String>> arrows = arrows();
    assertThat(arrows.keySet())
        .as("every moment is walked by a row of the tables")
        .containsAll(
            Stream.of(mount, refresh, release).flatMap(List::stream).map(Moment::name).toList());

    String page =
        BEGIN
            + "## A mount\n\nThe durable point of a use is `INTENT_SAVED`: nothing is taken before it."
            + " What cannot be finished goes over to the release.\n\n"
            + picture(mount, arrows)
            + "\n"
            + table(mount, arrows)
            + "\n## A refresh\n\nWhat is published is published again, and stays published: nothing leads"
            + " from here to the release.\n\n"
            + picture(refresh, arrows)
            + "\n"
            + table(refresh, arrows)
            + "\n## A release\n\nAsked for, or to undo a mount, or to clear the way for one: then"
            + " `LOOK_FIRST` of the mount follows.\n\n"
            + picture(release, arrows)
            + "\n"
            + table(release, arrows);
    if (Boolean.getBoolean("csi4j.regenerate")) {
      Files.writeString(PAGE, page);
    }
    assertThat(PAGE).content(StandardCharsets.UTF_8).isEqualTo(page);
  }
}
