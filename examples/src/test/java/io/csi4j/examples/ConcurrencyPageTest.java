package io.csi4j.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The page of threads and locks, held against the sources of all published modules. */
class ConcurrencyPageTest {

  /** Texts that begin as names of threads do, and name something else. */
  private static final Set<String> NO_THREADS =
      Set.of(
          "csi4j-",
          "csi4j-check-",
          "csi4j-dump-",
          "csi4j-hidden",
          "csi4j-hidden-attach",
          "csi4j-hidden-publish",
          "csi4j-hidden-stage",
          "csi4j-hostpath-",
          "csi4j-hostpath-state\\n",
          "csi4j-no-such-group-snapshot",
          "csi4j-no-such-node",
          "csi4j-no-such-snapshot",
          "csi4j-no-such-volume",
          "csi4j-nowhere",
          "csi4j-o");

  private static final String SAMPLE =
      """
      # Concurrency

      ## Threads

      | name | how many |
      |---|---|
      | `csi4j-known-N` | one |
      | `csi4j-several-worker-1`, `-2`, `csi4j-several-timer-1` | three |
      | `csi4j-gone-N` | one |
      | `grpc-timer-0` | one |

      ## Locks

      ### Some

      | lock | guards | held while | taken under it |
      |---|---|---|---|
      | `Known.lock` | this | it is read | `Inner.lock`, `Nowhere.lock` |
      | `Inner.lock` | that | it is read | `Known.lock` |
      | `Gone.lock` | nothing | never | none |
      """;

  @Test
  void everyLockHasItsRowAndEveryRowItsLock() throws IOException {
    assertThat(page().locks().keySet()).isEqualTo(locks());
  }

  @Test
  void theOrderOfLocksNamesLocksAndHasNoCircle() throws IOException {
    assertThat(page().disorder()).isEmpty();
  }

  @Test
  void everyFamilyOfThreadsHasItsRowAndEveryRowItsFamily() throws IOException {
    ConcurrencyPage page = page();
    Set<String> families = literals();
    families.removeAll(NO_THREADS);

    assertThat(page.threadsBeside(families)).isEmpty();
    assertThat(page.familiesWithoutThread(families)).isEmpty();
  }

  @Test
  void theThreadsOfTheVolumeManagerAreOfFiveFamilies() throws IOException {
    assertThat(page().families())
        .containsExactly("companions", "etcd", "listeners", "on demand", "workers")
        .isEqualTo(page().familiesOfThreads());
  }

  @Test
  void whatIsNoThreadIsStillInTheSources() throws IOException {
    assertThat(literals()).containsAll(NO_THREADS);
  }

  @Test
  void aLockWithoutItsRowAndARowWithoutItsLockAreFound() {
    Set<String> locks =
        ConcurrencyPage.locksIn(
            "Known",
            """
            class Known {
              private final ReentrantLock lock = new ReentrantLock();
              private final Semaphore places;
              private final ReadWriteLock both =
                  new ReentrantReadWriteLock();
              // synchronized (comment) {}
              /* private Lock commented; */
              private final Locks others = new Locks();
              void work() {
                synchronized (this.monitor) {}
                synchronized (Known.class) {}
                StampedLock local = new StampedLock();
              }
            }
            """);

    assertThat(locks)
        .containsExactly(
            "Known.both",
            "Known.class",
            "Known.local",
            "Known.lock",
            "Known.monitor",
            "Known.places");
    assertThat(new ConcurrencyPage(SAMPLE).locks())
        .containsOnly(
            Map.entry("Known.lock", Set.of("Inner.lock", "Nowhere.lock")),
            Map.entry("Inner.lock", Set.of("Known.lock")),
            Map.entry("Gone.lock", Set.of()));
  }

  @Test
  void anOrderOfLocksThatCannotBeKeptIsFound() {
    assertThat(new ConcurrencyPage(SAMPLE).disorder())
        .containsExactlyInAnyOrder(
            "Nowhere.lock, taken under Known.lock, has no row",
            "Known.lock can be taken under itself",
            "Inner.lock can be taken under itself");
  }

  @Test
  void aFamilyWithoutItsRowAndARowWithoutItsFamilyAreFound() {
    Set<String> families =
        ConcurrencyPage.literalsIn(
            """
            class Some {
              static final String NAME = "csi4j-known";
              Thread one = new Thread(NAME + "-limits");
              Thread two = new Thread("csi4j-several" + role);
              // new Thread("csi4j-comment")
              Thread three = new Thread("csi4j-known-but-other-" + number);
            }
            """);
    ConcurrencyPage page = new ConcurrencyPage(SAMPLE);

    assertThat(families)
        .containsExactly(
            "csi4j-known", "csi4j-known-but-other-", "csi4j-known-limits", "csi4j-several");
    assertThat(page.threadsBeside(families)).containsExactly("csi4j-gone-N");
    assertThat(page.familiesWithoutThread(families))
        .containsExactly("csi4j-known-but-other-", "csi4j-known-limits");
  }

  private static ConcurrencyPage page() throws IOException {
    return new ConcurrencyPage(
        Files.readString(PublishedModules.ROOT.resolve("docs/concurrency.md")));
  }

  private static Set<String> locks() throws IOException {
    Set<String> locks = new TreeSet<>();
    sources().forEach((type, text) -> locks.addAll(ConcurrencyPage.locksIn(type, text)));
    return locks;
  }

  private static Set<String> literals() throws IOException {
    Set<String> literals = new TreeSet<>();
    sources().values().forEach(text -> literals.addAll(ConcurrencyPage.literalsIn(text)));
    return literals;
  }

  /** The text of each source file, by the class that it is named for. */
  private static Map<String, String> sources() throws IOException {
    Map<String, String> sources = new TreeMap<>();
    for (String module : PublishedModules.modules()) {
      Path main = PublishedModules.ROOT.resolve(module).resolve("src/main/java");
      try (Stream<Path> files = Files.walk(main)) {
        Predicate<String> isType = name -> name.matches("\\w+\\.java");
        Path[] types =
            files.filter(each -> isType.test(each.getFileName().toString())).toArray(Path[]::new);
        assertThat(types).as(module).isNotEmpty();
        for (Path file : types) {
          sources.put(file.getFileName().toString().replace(".java", ""), Files.readString(file));
        }
      }
    }
    return sources;
  }
}
