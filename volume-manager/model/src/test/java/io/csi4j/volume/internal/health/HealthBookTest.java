package io.csi4j.volume.internal.health;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.volume.internal.health.HealthBook.Change;
import io.csi4j.volume.internal.health.HealthBook.Known;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Each fault begins once and ends once, whoever tells it and however often. */
class HealthBookTest {

  private static final Instant T1 = Instant.ofEpochSecond(1);
  private static final Instant T2 = Instant.ofEpochSecond(2);
  private static final Instant T3 = Instant.ofEpochSecond(3);
  private static final Instant T4 = Instant.ofEpochSecond(4);

  private static final Told SLOW = new Told("slow", "one disk of two");
  private static final Told LOST = new Told("lost", "both disks");

  /** A fault; its words are no part of its kind. */
  private record Told(String kind, String words) {}

  private final HealthBook<String, String, Told> book = new HealthBook<>(Told::kind);

  private List<Change<String, String, Told>> listed(Instant now, Map<String, List<Told>> list) {
    return book.listed("list", list, Set.of("v"), now);
  }

  private static Change<String, String, Told> begun(Told entry, String source, Instant at) {
    return new Change<>("v", new Known<>(entry, source, at, at, 0), false);
  }

  private static Change<String, String, Told> over(
      Told entry, String source, Instant since, Instant asOf, int missed) {
    return new Change<>("v", new Known<>(entry, source, since, asOf, missed), true);
  }

  @Test
  void aFaultBeginsOnceHoweverOftenItIsTold() {
    assertThat(book.answered("v", "get", List.of(SLOW), T1))
        .containsExactly(begun(SLOW, "get", T1));
    assertThat(book.answered("v", "get", List.of(SLOW, SLOW), T2)).isEmpty();
    assertThat(book.of("v")).containsExactly(new Known<>(SLOW, "get", T1, T2, 0));
  }

  @Test
  void otherWordsForTheSameFaultAreKeptAndAreNoNews() {
    Told better = new Told("slow", "one disk of two, being copied");
    assertThat(book.answered("v", "get", List.of(SLOW), T1)).hasSize(1);
    assertThat(book.answered("v", "get", List.of(better), T2)).isEmpty();
    assertThat(book.of("v")).containsExactly(new Known<>(better, "get", T1, T2, 0));
  }

  @Test
  void anAnswerAboutOneSubjectEndsAtOnceWhatItDoesNotName() {
    assertThat(book.answered("v", "get", List.of(SLOW, LOST), T1))
        .containsExactly(begun(SLOW, "get", T1), begun(LOST, "get", T1));
    assertThat(book.answered("v", "get", List.of(LOST), T2))
        .containsExactly(over(SLOW, "get", T1, T1, 0));
    assertThat(book.answered("v", "get", List.of(), T3))
        .containsExactly(over(LOST, "get", T1, T2, 0));
    assertThat(book.answered("v", "get", List.of(), T4)).isEmpty();
    assertThat(book.of("v")).isEmpty();
  }

  @Test
  void oneListWithoutAFaultDoesNotEndIt() {
    assertThat(listed(T1, Map.of("v", List.of(SLOW)))).containsExactly(begun(SLOW, "list", T1));
    assertThat(listed(T2, Map.of())).isEmpty();
    assertThat(book.of("v")).containsExactly(new Known<>(SLOW, "list", T1, T1, 1));
  }

  @Test
  void theSecondListWithoutAFaultEndsIt() {
    assertThat(listed(T1, Map.of("v", List.of(SLOW)))).hasSize(1);
    assertThat(listed(T2, Map.of())).isEmpty();
    assertThat(listed(T3, Map.of("v", List.of()))).containsExactly(over(SLOW, "list", T1, T1, 1));
    assertThat(listed(T4, Map.of())).isEmpty();
    assertThat(book.of("v")).isEmpty();
  }

  @Test
  void aFaultThatReturnsBetweenTwoListsNeverEnded() {
    assertThat(listed(T1, Map.of("v", List.of(SLOW)))).hasSize(1);
    assertThat(listed(T2, Map.of())).isEmpty();
    assertThat(listed(T3, Map.of("v", List.of(SLOW)))).isEmpty();
    assertThat(book.of("v")).containsExactly(new Known<>(SLOW, "list", T1, T3, 0));
    assertThat(listed(T4, Map.of())).isEmpty();
    assertThat(book.of("v")).containsExactly(new Known<>(SLOW, "list", T1, T3, 1));
  }

  @Test
  void aFaultThatReturnsAfterItsEndBeginsAgain() {
    assertThat(book.answered("v", "get", List.of(SLOW), T1)).hasSize(1);
    assertThat(book.answered("v", "get", List.of(), T2)).hasSize(1);
    assertThat(book.answered("v", "get", List.of(SLOW), T3))
        .containsExactly(begun(SLOW, "get", T3));
  }

  @Test
  void aListSaysNothingOfSubjectsThatItIsNotAbout() {
    assertThat(book.answered("other", "list", List.of(SLOW), T1)).hasSize(1);
    assertThat(listed(T2, Map.of("foreign", List.of(LOST)))).isEmpty();
    assertThat(listed(T3, Map.of())).isEmpty();
    assertThat(book.of("foreign")).isEmpty();
    assertThat(book.of("other")).containsExactly(new Known<>(SLOW, "list", T1, T1, 0));
  }

  @Test
  void oneSourceDoesNotEndWhatAnotherOneTells() {
    assertThat(book.answered("v", "node-1", List.of(SLOW), T1))
        .containsExactly(begun(SLOW, "node-1", T1));
    assertThat(book.answered("v", "node-2", List.of(SLOW), T2))
        .containsExactly(begun(SLOW, "node-2", T2));
    assertThat(book.answered("v", "node-1", List.of(), T3))
        .containsExactly(over(SLOW, "node-1", T1, T1, 0));
    assertThat(book.of("v")).containsExactly(new Known<>(SLOW, "node-2", T2, T2, 0));
  }

  @Test
  void whatWasWrongWithForgottenSubjectsIsOver() {
    assertThat(book.answered("v", "get", List.of(SLOW), T1)).hasSize(1);
    assertThat(book.answered("kept", "get", List.of(LOST), T1)).hasSize(1);
    assertThat(book.keepOnly("kept"::equals)).containsExactly(over(SLOW, "get", T1, T1, 0));
    assertThat(book.keepOnly("kept"::equals)).isEmpty();
    assertThat(book.of("v")).isEmpty();
    assertThat(book.of("kept")).hasSize(1);
  }
}
