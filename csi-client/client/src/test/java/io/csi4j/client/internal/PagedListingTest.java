package io.csi4j.client.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.csi4j.client.model.CsiAnswerException;
import io.csi4j.client.model.CsiEndpoint;
import io.csi4j.client.model.CsiFailure;
import io.csi4j.client.model.Outcome;
import io.csi4j.client.model.Page;
import io.csi4j.client.model.StatusCode;
import io.csi4j.client.model.Violation;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The limits of a list, which are too high to be reached over a socket in a test. */
class PagedListingTest {

  private final AtomicLong now = new AtomicLong(-5);

  private PagedListing<String> listing(
      int pages, int entries, Function<String, Page<String>> source) {
    return new PagedListing<>(
        "",
        source,
        entry -> entry,
        () ->
            CsiFailure.builder(
                CsiEndpoint.of(java.nio.file.Path.of("/run/csi.sock")),
                StatusCode.OK,
                Outcome.SETTLED),
        now::get,
        new PagedListing.Limits(pages, entries, 10, 3, Duration.ofMinutes(1)));
  }

  private static Page<String> endlessPage(String token) {
    int number = token.isEmpty() ? 0 : Integer.parseInt(token);
    return new Read(List.of("a" + number, "b" + number), Optional.of(String.valueOf(number + 1)));
  }

  private static void assertEndless(Iterator<String> entries, List<String> read) {
    CsiAnswerException failure =
        catchThrowableOfType(CsiAnswerException.class, () -> entries.forEachRemaining(read::add));
    assertThat(failure.violations())
        .singleElement()
        .satisfies(each -> assertThat(each.rule()).isEqualTo(Violation.Rule.ENDLESS));
  }

  @Test
  void aListThatNeverEndsIsGivenUpAfterTheLastPageThatMayBeRead() {
    List<String> read = new ArrayList<>();
    List<String> asked = new ArrayList<>();
    Iterator<String> entries =
        listing(
                5,
                1000,
                token -> {
                  asked.add(token);
                  return endlessPage(token);
                })
            .iterator();
    assertEndless(entries, read);
    assertEndless(entries, read);
    assertThat(read).hasSize(10);
    assertThat(asked).containsExactly("", "1", "2", "3", "4");
  }

  @Test
  void aListThatNeverEndsIsGivenUpWhenThePluginWasWaitedForLongEnough() {
    List<String> read = new ArrayList<>();
    Iterator<String> entries =
        listing(
                1000,
                1000,
                token -> {
                  now.addAndGet(Duration.ofSeconds(20).toNanos());
                  return endlessPage(token);
                })
            .iterator();
    CsiAnswerException failure =
        catchThrowableOfType(
            CsiAnswerException.class,
            () ->
                entries.forEachRemaining(
                    entry -> {
                      read.add(entry);
                      // The caller's own time does not count.
                      now.addAndGet(Duration.ofHours(1).toNanos());
                    }));

    assertThat(read).containsExactly("a0", "b0", "a1", "b1", "a2", "b2");
    assertThat(failure.violations())
        .containsExactly(
            new Violation(
                "next_token",
                Violation.Rule.ENDLESS,
                "the list did not end after 3 pages, which took the plugin 60 s"));
    assertEndless(entries, read);
  }

  @Test
  void aListThatNeverEndsIsGivenUpAfterTheLastEntryThatMayBeRead() {
    List<String> read = new ArrayList<>();
    Iterator<String> entries = listing(1000, 5, PagedListingTest::endlessPage).iterator();
    assertEndless(entries, read);
    assertEndless(entries, read);
    assertThat(read).containsExactly("a0", "b0", "a1", "b1", "a2");
  }

  @Test
  void entriesThatComeTwiceCountTwice() {
    List<String> read = new ArrayList<>();
    assertEndless(
        listing(1000, 6, token -> new Read(List.of("same"), Optional.of(token + "."))).iterator(),
        read);
    assertThat(read).hasSize(6).containsOnly("same");
  }

  @Test
  void aListAsLongAsAllowedIsComplete() {
    assertThat(
            listing(
                2,
                4,
                token ->
                    token.isEmpty()
                        ? endlessPage(token)
                        : new Read(List.of("c", "d"), Optional.empty())))
        .containsExactly("a0", "b0", "c", "d");
  }

  @Test
  void noPageIsHeldOnceItIsRead() {
    List<WeakReference<Object>> pages = new ArrayList<>();
    Iterator<String> entries =
        listing(
                1000,
                100_000,
                token -> {
                  List<String> page =
                      new ArrayList<>(
                          IntStream.range(0, 10).mapToObj(i -> token + "/" + i).toList());
                  pages.add(new WeakReference<>(page));
                  return new Read(page, Optional.of(token + "."));
                })
            .iterator();
    for (int i = 0; i < 205; i++) {
      entries.next();
    }
    for (int i = 0; i < 50 && pages.get(19).get() != null; i++) {
      System.gc();
    }
    assertThat(pages).hasSize(21);
    assertThat(pages.subList(0, 20)).allSatisfy(page -> assertThat(page.get()).isNull());
  }

  private record Read(List<String> entries, Optional<String> nextToken, int skipped)
      implements Page<String> {

    Read(List<String> entries, Optional<String> nextToken) {
      this(entries, nextToken, 0);
    }
  }
}
