package io.csi4j.conformance.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.conformance.RecordStoreChecks;
import io.csi4j.volume.store.RecordStoreException;
import io.csi4j.volume.store.RecordStoreException.Reason;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The checks for stores find what they are there to find, in stores that do one thing wrong. */
class DefectiveStoresTest {

  /** Each defect, and below it the checks that find it. */
  private static final String FILE = "defects.txt";

  /**
   * Checks that may find a defect for which they are not there: whether they do depends on how
   * their callers meet.
   */
  private static final Set<String> BY_CHANCE =
      Set.of(
          "of many clients' first writes, one succeeds",
          "no write is lost among many",
          "no write of many clients is lost",
          "a write of several records is never made in part",
          "the calls and results of many callers fit one order",
          "the calls and results of many clients fit one order",
          "a caller that sees a write also sees earlier writes of other keys",
          "another client that sees a write also sees earlier writes of other keys",
          "writes of several records by many clients are never made in part",
          "a watch shows the writes of many callers in their order",
          "a scan during writes returns each unchanged record once",
          "a write while a store is being closed is made, or refused for that reason",
          "writes that were made while a store was being closed are there afterwards");

  /**
   * Defects that let somebody wait in vain for a watch. So the checks of watches are run on them
   * with little patience, and no others.
   */
  private static final Set<String> IN_VAIN =
      Set.of(
          "watches lose each tenth write",
          "watches are told another version",
          "watches are told of a crowd in another order",
          "watches do not show removals",
          "only the first watch is told",
          "a closed watch keeps who comes waiting",
          "closing a watch releases nobody",
          "watches outlive their store",
          "watches are told of their own client only");

  private static final Predicate<String> OF_WATCHES =
      Pattern.compile("watch|ends the wait|client leaves").asPredicate();

  /** The checks in which a caller waits for what a defect may keep from it. */
  private static final Predicate<String> WAITING =
      OF_WATCHES.or(Pattern.compile("sees a write").asPredicate());

  /** Stores of one kind. */
  private record Toys(Consumer<ToyStore> defect, Duration patience) implements RecordStoreFixture {

    @Override
    public Place place() {
      return ToyStore.place(defect);
    }

    @Override
    public Set<Ability> abilities() {
      return Set.of(Ability.values());
    }
  }

  private static List<RecordStoreCheck> checks(Consumer<ToyStore> defect, Duration patience) {
    return RecordStoreChecks.of(new Toys(defect, patience));
  }

  @Test
  void aStoreThatDoesNothingWrongPassesAll() {
    checks(store -> {}, Duration.ofSeconds(30)).forEach(RecordStoreCheck::run);
  }

  /** Such a store serves no caller with an interrupt, and is none the worse for it. */
  @Test
  void aStoreThatRefusesWhoIsInterruptedPassesAll() {
    Consumer<ToyStore> calm =
        store -> {
          Runnable right = store.checkOpen;
          store.checkOpen =
              () -> {
                right.run();
                if (Thread.currentThread().isInterrupted()) {
                  throw new RecordStoreException(
                      Reason.UNAVAILABLE,
                      "The caller is interrupted. Ask again without an interrupt.");
                }
              };
        };
    checks(calm, Duration.ofSeconds(30)).forEach(RecordStoreCheck::run);
  }

  /** Such a store gives fewer records than it is asked for. */
  @Test
  void aStoreOfSmallPagesPassesAll() {
    Consumer<ToyStore> small =
        store ->
            store.page =
                (space, after, limit) ->
                    store.behind(space, after, false).limit(Math.min(2, limit)).toList();
    checks(small, Duration.ofSeconds(30)).forEach(RecordStoreCheck::run);
  }

  @Tag("campaign")
  @Test
  void eachDefectIsFoundByTheChecksThatAreThereForItAndByNoOther() throws Exception {
    Map<String, Set<String>> found = failures();
    if (Boolean.getBoolean("csi4j.regenerate")) {
      StringBuilder text = new StringBuilder();
      found.forEach(
          (defect, checks) -> {
            text.append(defect).append('\n');
            checks.forEach(check -> text.append("  ").append(check).append('\n'));
          });
      Files.writeString(
          Path.of("src/test/resources/io/csi4j/conformance/store").resolve(FILE), text);
    }

    assertThat(found.keySet()).containsExactlyElementsOf(expected().keySet());
    expected()
        .forEach(
            (defect, checks) -> {
              Set<String> failed = Objects.requireNonNull(found.get(defect));
              Set<String> surely = new HashSet<>(checks);
              surely.removeAll(BY_CHANCE);
              assertThat(failed).as(defect).containsAll(surely).containsAnyElementsOf(checks);
              failed.removeAll(BY_CHANCE);
              assertThat(failed).as(defect).isSubsetOf(checks);
            });
  }

  @Test
  void everyCheckFindsSomeDefect() throws IOException {
    Set<String> finding =
        expected().values().stream().flatMap(Set::stream).collect(Collectors.toSet());
    List<String> names =
        checks(store -> {}, Duration.ZERO).stream().map(RecordStoreCheck::name).toList();

    assertThat(finding).containsExactlyInAnyOrderElementsOf(names);
    assertThat(names).containsAll(BY_CHANCE);
  }

  private static Map<String, Set<String>> expected() throws IOException {
    Map<String, Set<String>> expected = new LinkedHashMap<>();
    Set<String> last = new HashSet<>();
    for (String line : kept().lines().toList()) {
      if (line.startsWith("  ")) {
        last.add(line.strip());
      } else {
        last = new HashSet<>();
        expected.put(line, last);
      }
    }
    return expected;
  }

  private static String kept() throws IOException {
    try (InputStream in =
        Objects.requireNonNull(DefectiveStoresTest.class.getResourceAsStream(FILE), FILE)) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  /** The names of the checks that fail, by defect. Side by side, as some have to wait in vain. */
  private static Map<String, Set<String>> failures() throws Exception {
    Map<String, Set<String>> expected = expected();
    ExecutorService threads = Executors.newFixedThreadPool(16);
    try {
      Map<String, List<Future<Optional<String>>>> running = new LinkedHashMap<>();
      Defects.all()
          .forEach(
              (name, defect) -> {
                boolean isInVain = IN_VAIN.contains(name);
                Set<String> finding = expected.getOrDefault(name, Set.of());
                List<RecordStoreCheck> hasty = checks(defect, Duration.ofSeconds(3));
                List<RecordStoreCheck> patient = checks(defect, Duration.ofSeconds(90));
                List<Future<Optional<String>>> each = new ArrayList<>();
                for (int i = 0; i < patient.size(); i++) {
                  String check = patient.get(i).name();
                  // A check that finds the defect may wait for something until it gives up.
                  boolean mayFind = finding.contains(check) || BY_CHANCE.contains(check);
                  boolean isHasty = isInVain || (mayFind && WAITING.test(check));
                  if (!isInVain || OF_WATCHES.test(check)) {
                    each.add(threads.submit(failing((isHasty ? hasty : patient).get(i))));
                  }
                }
                running.put(name, each);
              });
      Map<String, Set<String>> failures = new LinkedHashMap<>();
      for (Map.Entry<String, List<Future<Optional<String>>>> entry : running.entrySet()) {
        Set<String> names = new LinkedHashSet<>();
        for (Future<Optional<String>> each : entry.getValue()) {
          each.get(300, TimeUnit.SECONDS).ifPresent(names::add);
        }
        failures.put(entry.getKey(), names);
      }
      return failures;
    } finally {
      threads.shutdownNow();
    }
  }

  private static Callable<Optional<String>> failing(RecordStoreCheck check) {
    return () -> {
      try {
        check.run();
        return Optional.empty();
      } catch (AssertionError e) {
        assertThat(e).hasMessageMatching("(?s)[A-Z0-9].*[.…:].*");
        return Optional.of(check.name());
      }
    };
  }
}
