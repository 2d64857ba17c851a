package io.csi4j.volume.internal.store;

import static io.csi4j.volume.internal.store.Words.A;
import static io.csi4j.volume.internal.store.Words.B;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.csi4j.volume.internal.fields.UnknownFields;
import io.csi4j.volume.internal.store.RecordBook.Change;
import io.csi4j.volume.internal.store.RecordBook.Decision;
import io.csi4j.volume.internal.store.RecordBook.Part;
import io.csi4j.volume.model.ChangeOutcome;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.ReasonText;
import io.csi4j.volume.state.StateValue;
import io.csi4j.volume.store.PassingStore;
import io.csi4j.volume.store.RecordKey;
import io.csi4j.volume.store.RecordStore;
import io.csi4j.volume.store.RecordStore.WriteResult;
import io.csi4j.volume.store.RecordWrite;
import io.csi4j.volume.store.RoughStore;
import io.csi4j.volume.store.RoughStore.Fate;
import io.csi4j.volume.store.StoreIdentity;
import io.csi4j.volume.store.local.MemoryStore;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.assertj.core.api.ThrowableAssertAlternative;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Records are changed by rules, whatever becomes of a write. */
class RecordBookTest {

  private final RoughStore store = new RoughStore();

  private RecordBook<String> book(boolean removes) {
    return new RecordBook<>(store, new Words(removes), Optional.empty());
  }

  private static Decision<String> plusOne(Optional<String> before) {
    return new Decision.Write<>(before.orElse("a") + "1");
  }

  private static Change<String> add(RecordBook<String> book) {
    return book.apply(A, true, RecordBookTest::plusOne);
  }

  private static ThrowableAssertAlternative<RecordFailure> fails(Runnable work) {
    return assertThatExceptionOfType(RecordFailure.class).isThrownBy(work::run);
  }

  @ParameterizedTest
  @EnumSource(
      value = Fate.class,
      names = {"ANSWERED", "LOST", "UNANSWERED"})
  void aChangeIsMadeOnceWhateverBecomesOfItsFirstWrite(Fate fate) {
    RecordBook<String> book = book(true);

    store.next(fate);
    Change<String> change = add(book);

    assertThat(change.changes()).isTrue();
    assertThat(change.after().value()).contains("a1");
    assertThat(book.look(A, true).value()).contains("a1");
  }

  @Test
  void aLateWriteLosesAgainstTheOneThatWasMadeInstead() {
    RecordBook<String> book = book(true);

    store.next(Fate.LATE);
    add(book);
    store.deliver();

    assertThat(book.look(A, true).value()).contains("a1");
  }

  @Test
  void aFailureIsUncertainWhileAnUnansweredWriteMayStillArrive() {
    RecordBook<String> book = book(true);

    store.next(Fate.LATE, Fate.DOWN);
    fails(() -> add(book))
        .satisfies(failure -> assertThat(failure.outcome()).isEqualTo(ChangeOutcome.UNCERTAIN))
        .withMessage(
            "the answer was lost, and the write may still arrive; since then: nobody answers");
    store.deliver();

    assertThat(book.look(A, true).value()).contains("a1");
  }

  /** A book on the store, in which another book adds to the word after each answer that is lost. */
  private RecordBook<String> overtaken(boolean removes) {
    RecordBook<String> other = book(removes);
    RecordStore contended =
        new PassingStore(store) {
          @Override
          public WriteResult write(List<RecordWrite> writes) {
            WriteResult result = super.write(writes);
            if (result instanceof WriteResult.Unknown) {
              add(other);
            }
            return result;
          }
        };
    return new RecordBook<>(contended, new Words(removes), Optional.empty());
  }

  /** Writes a word unless there is one of this length. */
  private static Runnable writing(RecordBook<String> book, int length) {
    return () ->
        book.apply(
            A,
            true,
            before ->
                before.orElse("").length() >= length
                    ? new Decision.Refuse<>(OperatorCode.CLAIM_HELD_BY, "another has it")
                    : new Decision.Write<>("axy"));
  }

  @Test
  void aCreationWithoutAnAnswerMayArriveAfterTheRecordOfAnotherIsRemoved() {
    RecordBook<String> other = book(true);

    store.next(Fate.LATE);
    fails(writing(overtaken(true), 2))
        .satisfies(failure -> assertThat(failure.outcome()).isEqualTo(ChangeOutcome.UNCERTAIN))
        .satisfies(failure -> assertThat(failure.code()).isEqualTo(OperatorCode.CLAIM_UNCONFIRMED))
        .withMessage(
            "the answer was lost, and the write may still arrive; since then: another has it");
    other.apply(A, false, before -> new Decision.Remove<>());
    store.deliver();

    assertThat(other.look(A, true).value()).contains("axy");
  }

  @Test
  void aCreationWithoutAnAnswerStaysOpenAfterALaterWrite() {
    store.next(Fate.LATE, Fate.ANSWERED, Fate.LOST);

    fails(writing(overtaken(true), 3))
        .satisfies(failure -> assertThat(failure.outcome()).isEqualTo(ChangeOutcome.UNCERTAIN));
  }

  @Test
  void aChangeWithoutAnAnswerNeverArrivesAfterTheOneOfAnother() {
    add(book(true));

    store.next(Fate.LATE);
    fails(writing(overtaken(true), 3))
        .satisfies(failure -> assertThat(failure.outcome()).isEqualTo(ChangeOutcome.REFUSED));
    store.deliver();

    assertThat(book(true).look(A, true).value()).contains("a11");
  }

  @Test
  void whereNothingIsEverRemovedACreationNeverArrivesAfterTheOneOfAnother() {
    store.next(Fate.LATE);
    fails(writing(overtaken(false), 2))
        .satisfies(failure -> assertThat(failure.outcome()).isEqualTo(ChangeOutcome.REFUSED));
    store.deliver();

    assertThat(book(false).look(A, true).value()).contains("a1");
  }

  @Test
  void aRecordIsRemovedOnceAlsoWhenTheAnswerIsLost() {
    RecordBook<String> book = book(true);
    add(book);

    store.next(Fate.UNANSWERED);
    Change<String> removed = book.apply(A, false, before -> new Decision.Remove<>());

    assertThat(removed.changes()).isTrue();
    assertThat(removed.before().value()).contains("a1");
    assertThat(removed.after().value()).isEmpty();
    assertThat(book.apply(A, false, before -> new Decision.Remove<>()).changes()).isFalse();
    assertThat(add(book).after().version()).isGreaterThan(removed.before().version());
  }

  @Test
  void noVersionIsKeptOfWhatIsNotThere() {
    RecordBook<String> book = book(true);
    book.look(A, true);
    assertThat(book.keptVersions()).isZero();

    add(book);
    assertThat(book.keptVersions()).isEqualTo(1);
    book.apply(A, false, before -> new Decision.Remove<>());
    assertThat(book.keptVersions()).isZero();

    add(book);
    book(true).apply(A, false, before -> new Decision.Remove<>());
    book.look(A, true);
    assertThat(book.keptVersions()).isZero();
  }

  @Test
  void theVersionsOfRecordsThatOthersHaveRemovedTakeABoundedRoom() {
    RecordBook<String> book = book(true);
    RecordBook<String> other = book(true);
    int most = 0;
    for (char letter = 'A'; letter < 20_000; letter++) {
      String word = String.valueOf(letter);
      RecordKey key = new Words(true).key(word);
      book.apply(key, true, before -> new Decision.Write<>(word));
      other.apply(key, false, before -> new Decision.Remove<>());
      most = Math.max(most, book.keptVersions());
    }

    assertThat(most).isEqualTo(16_384);
    assertThat(book.keptVersions()).isLessThan(9_000);
  }

  @Test
  void aRecordThatAnotherHasRemovedIsDecidedOnAgain() {
    RecordBook<String> mine = book(true);
    RecordBook<String> other = book(true);
    add(mine);
    other.apply(A, false, before -> new Decision.Remove<>());

    List<Optional<String>> asked = new ArrayList<>();
    Change<String> change =
        mine.apply(
            A,
            true,
            before -> {
              asked.add(before);
              return plusOne(before);
            });

    assertThat(asked).containsExactly(Optional.of("a1"), Optional.empty());
    assertThat(change.after().value()).contains("a1");
  }

  @Test
  void whereNothingIsEverRemovedAMissingRecordShowsALoss() {
    RecordBook<String> book = book(false);
    add(book);

    book(true).apply(A, false, before -> new Decision.Remove<>());

    fails(() -> add(book))
        .satisfies(
            failure -> assertThat(failure.code()).isEqualTo(OperatorCode.CLAIM_STORE_WENT_BACK))
        .withMessage("it has version 0, but had 1 before");
  }

  @Test
  void aRefusalIsDecidedAfterALook() {
    RecordBook<String> book = book(true);
    add(book);
    add(book(true));

    fails(
            () ->
                book.apply(
                    A,
                    true,
                    before ->
                        new Decision.Refuse<>(OperatorCode.CLAIM_HELD_BY, before.orElseThrow())))
        .satisfies(failure -> assertThat(failure.outcome()).isEqualTo(ChangeOutcome.REFUSED))
        .satisfies(failure -> assertThat(failure.code()).isEqualTo(OperatorCode.CLAIM_HELD_BY))
        .withMessage("a11");
  }

  private static Change<String> append(RecordBook<String> book, String letters) {
    return book.apply(A, true, before -> new Decision.Write<>(before.orElse("a") + letters));
  }

  @Test
  void aRecordThatOthersHaveMadeSmallerIsChanged() {
    RecordBook<String> mine = book(true);
    append(mine, "1234567");
    book(true).apply(A, true, before -> new Decision.Write<>("ab"));

    assertThat(append(mine, "1").after().value()).contains("ab1");
  }

  @Test
  void aRecordThatWouldBeTooLargeIsRefused() {
    RecordBook<String> book = book(true);
    append(book, "1234567");

    fails(() -> append(book, "8"))
        .satisfies(failure -> assertThat(failure.outcome()).isEqualTo(ChangeOutcome.REFUSED))
        .satisfies(failure -> assertThat(failure.code()).isEqualTo(OperatorCode.CLAIM_TOO_LARGE))
        .withMessage("The word 'a12345678' is too long");
  }

  @Test
  void whatTheStoreSaysOfAWriteCountsWhereItIsSomethingElse() {
    RecordStore changing =
        new PassingStore(store) {
          @Override
          public WriteResult write(List<RecordWrite> writes) {
            RecordWrite write = writes.get(0);
            StateValue other =
                StateValue.of(new Words(true).encode("ab", UUID.randomUUID(), UnknownFields.NONE));
            return super.write(
                List.of(new RecordWrite(write.key(), write.seen(), Optional.of(other))));
          }
        };

    assertThat(add(new RecordBook<>(changing, new Words(true), Optional.empty())).after().value())
        .contains("ab");
  }

  @Test
  void nothingIsAcquiredFromAnotherStoreAndWhatIsHeldIsReleased() {
    RecordBook<String> book = book(true);
    add(book);
    MemoryStore other = new MemoryStore();
    String before = store.identity().value();
    store.replaceBy(other);

    fails(() -> add(book))
        .satisfies(failure -> assertThat(failure.outcome()).isEqualTo(ChangeOutcome.HELD))
        .withMessage("it is store '" + other.identity() + "' now, but was '" + before + "'");
    assertThat(book.apply(A, false, RecordBookTest::plusOne).after().value()).contains("a1");
  }

  @Test
  void nothingIsAcquiredByARecordThatIsInDoubt() {
    RecordBook<String> book = book(true);
    store.doubt(new ReasonText("its journal is damaged"));

    fails(() -> add(book))
        .satisfies(failure -> assertThat(failure.outcome()).isEqualTo(ChangeOutcome.HELD))
        .withMessage("its journal is damaged");
  }

  // ---- records that are changed together

  private static Part<String> added(RecordBook<String> book, RecordKey key) {
    return book.part(key, true, before -> new Decision.Write<>(before.orElse(key.name()) + "1"));
  }

  private static List<Optional<String>> both(RecordBook<String> book) {
    return List.of(book.look(A, true).value(), book.look(B, true).value());
  }

  @ParameterizedTest
  @EnumSource(
      value = Fate.class,
      names = {"ANSWERED", "LOST", "UNANSWERED"})
  void twoRecordsAreChangedOnceWhateverBecomesOfTheirFirstWrite(Fate fate) {
    RecordBook<String> book = book(true);

    store.next(fate);
    Part<String> first = added(book, A);
    Part<String> second = added(book, B);
    RecordBook.apply(List.of(first, second));

    assertThat(first.change().after().value()).contains("a1");
    assertThat(second.change().after().value()).contains("b1");
    assertThat(both(book(true))).containsExactly(Optional.of("a1"), Optional.of("b1"));
  }

  @Test
  void twoRecordsAreChangedInOneWriteAlsoWhereBothAreRemembered() {
    List<Integer> sizes = new ArrayList<>();
    RecordStore counting =
        new PassingStore(store) {
          @Override
          public WriteResult write(List<RecordWrite> writes) {
            sizes.add(writes.size());
            return super.write(writes);
          }
        };
    RecordBook<String> book = new RecordBook<>(counting, new Words(true), Optional.empty());

    RecordBook.apply(List.of(added(book, A), added(book, B)));
    RecordBook.apply(List.of(added(book, A), added(book, B)));

    assertThat(sizes).containsExactly(2, 2);
    assertThat(both(book)).containsExactly(Optional.of("a11"), Optional.of("b11"));
  }

  @Test
  void whereOneRuleRefusesNeitherRecordIsChanged() {
    RecordBook<String> book = book(true);
    Part<String> refused =
        book.part(B, true, before -> new Decision.Refuse<>(OperatorCode.CLAIM_HELD_BY, "held"));

    fails(() -> RecordBook.apply(List.of(added(book, A), refused)))
        .satisfies(failure -> assertThat(failure.outcome()).isEqualTo(ChangeOutcome.REFUSED))
        .satisfies(failure -> assertThat(failure.code()).isEqualTo(OperatorCode.CLAIM_HELD_BY))
        .withMessage("held");

    assertThat(both(book)).containsExactly(Optional.empty(), Optional.empty());
  }

  @Test
  void bothRecordsAreDecidedAgainWhereOneOfThemWasOvertaken() {
    RecordBook<String> book = book(true);
    RecordBook.apply(List.of(added(book, A), added(book, B)));
    RecordBook<String> other = book(true);
    other.apply(B, true, before -> new Decision.Write<>("b9"));

    RecordBook.apply(List.of(added(book, A), added(book, B)));

    assertThat(both(book)).containsExactly(Optional.of("a11"), Optional.of("b91"));
  }

  /** Changes the first record while the second one stays as long as it is this word. */
  private static void addWhile(RecordBook<String> book, String word) {
    Part<String> stays =
        book.part(
            B,
            true,
            before ->
                before.equals(Optional.of(word))
                    ? new Decision.Keep<>()
                    : new Decision.Refuse<>(OperatorCode.CLAIM_HELD_BY, before.orElse("none")));
    Part<String> first = added(book, A);
    RecordBook.apply(List.of(first, stays));
    assertThat(stays.change().changes()).isFalse();
    assertThat(stays.change().after().value()).contains(word);
    assertThat(first.change().changes()).isTrue();
  }

  @Test
  void aRecordThatStaysIsAConditionOfTheWriteOfTheOther() {
    RecordBook<String> other = book(true);
    other.apply(B, true, before -> new Decision.Write<>("b1"));
    RecordStore contended =
        new PassingStore(store) {
          private boolean isOvertaken;

          @Override
          public WriteResult write(List<RecordWrite> writes) {
            if (!isOvertaken) {
              isOvertaken = true;
              other.apply(B, true, before -> new Decision.Write<>("b2"));
            }
            return super.write(writes);
          }
        };
    RecordBook<String> book = new RecordBook<>(contended, new Words(true), Optional.empty());

    fails(() -> addWhile(book, "b1"))
        .satisfies(failure -> assertThat(failure.outcome()).isEqualTo(ChangeOutcome.REFUSED))
        .withMessage("b2");
    addWhile(book, "b2");

    assertThat(both(book)).containsExactly(Optional.of("a1"), Optional.of("b2"));
  }

  @Test
  void nothingIsWrittenWhereBothRecordsStay() {
    RecordBook<String> book = book(true);
    long version = add(book).after().version();
    Part<String> first = book.part(A, true, before -> new Decision.Keep<>());
    Part<String> second = book.part(B, true, before -> new Decision.Remove<>());

    RecordBook.apply(List.of(first, second));

    assertThat(first.change().changes()).isFalse();
    assertThat(second.change().changes()).isFalse();
    assertThat(book.look(A, true).version()).isEqualTo(version);
  }

  @Test
  void aWriteOfTwoRecordsThatMayStillArriveIsUncertainAndArrivesCompletely() {
    RecordBook<String> book = book(true);
    RecordBook.apply(List.of(added(book, A), added(book, B)));

    store.next(Fate.LATE, Fate.DOWN);
    fails(() -> RecordBook.apply(List.of(added(book, A), added(book, B))))
        .satisfies(failure -> assertThat(failure.outcome()).isEqualTo(ChangeOutcome.UNCERTAIN));
    store.deliver();

    assertThat(both(book)).containsExactly(Optional.of("a11"), Optional.of("b11"));
  }

  @Test
  void aWriteOfTwoRecordsNeverArrivesOnceOneOfThemIsAnother() {
    RecordBook<String> first = book(true);
    RecordBook.apply(List.of(added(first, A), added(first, B)));
    RecordBook<String> book = overtaken(true);

    store.next(Fate.LATE);
    Part<String> refused =
        book.part(
            A,
            true,
            before ->
                before.orElse("").length() > 2
                    ? new Decision.Refuse<>(OperatorCode.CLAIM_HELD_BY, "another has it")
                    : new Decision.Write<>("axy"));
    fails(() -> RecordBook.apply(List.of(refused, added(book, B))))
        .satisfies(failure -> assertThat(failure.outcome()).isEqualTo(ChangeOutcome.REFUSED));
    store.deliver();

    assertThat(both(book(true))).containsExactly(Optional.of("a11"), Optional.of("b1"));
  }

  /** Whether an answer is lost, or the request is sent twice. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aWriteOfTwoRecordsWasMadeThoughAnotherHasWrittenOneOfThemSince(boolean isLost) {
    RecordBook<String> other = book(true);
    other.apply(B, true, before -> new Decision.Write<>("b"));
    List<WriteResult> results = new ArrayList<>();
    RecordStore contended =
        new PassingStore(store) {
          @Override
          public WriteResult write(List<RecordWrite> writes) {
            results.add(super.write(writes));
            other.apply(B, true, before -> new Decision.Write<>(before.orElseThrow() + "9"));
            WriteResult again = isLost ? results.get(0) : super.write(writes);
            assertThat(again)
                .isInstanceOf(isLost ? WriteResult.Unknown.class : WriteResult.Conflict.class);
            return again;
          }
        };
    RecordBook<String> book = new RecordBook<>(contended, new Words(true), Optional.empty());
    List<Optional<String>> decided = new ArrayList<>();

    store.next(isLost ? Fate.UNANSWERED : Fate.ANSWERED);
    Part<String> first =
        book.part(
            A,
            true,
            before -> {
              decided.add(before);
              return before.isEmpty()
                  ? new Decision.Write<>("a1")
                  : new Decision.Refuse<>(OperatorCode.CLAIM_HELD_BY, "it is ours");
            });
    Part<String> second = added(book, B);
    RecordBook.apply(List.of(first, second));

    assertThat(decided).containsExactly(Optional.empty());
    assertThat(results).hasSize(1);
    assertThat(first.change().changes()).isTrue();
    assertThat(first.change().after().value()).contains("a1");
    assertThat(second.change().changes()).isTrue();
    assertThat(second.change().before().value()).contains("b");
    assertThat(second.change().after().value()).contains("b1");
    assertThat(both(book)).containsExactly(Optional.of("a1"), Optional.of("b19"));
  }

  @Test
  void aWriteOfAValueAndARemovalWasNotMadeWhereOnlyTheRemovedRecordIsMissing() {
    RecordBook<String> other = book(true);
    other.apply(A, true, before -> new Decision.Write<>("a"));
    other.apply(B, true, before -> new Decision.Write<>("b"));
    RecordStore contended =
        new PassingStore(store) {
          @Override
          public WriteResult write(List<RecordWrite> writes) {
            WriteResult result = super.write(writes);
            if (result instanceof WriteResult.Unknown) {
              other.apply(B, true, before -> new Decision.Remove<>());
            }
            return result;
          }
        };
    RecordBook<String> book = new RecordBook<>(contended, new Words(true), Optional.empty());

    store.next(Fate.LOST);
    Part<String> removed = book.part(B, true, before -> new Decision.Remove<>());
    RecordBook.apply(List.of(added(book, A), removed));

    assertThat(removed.change().changes()).isFalse();
    assertThat(both(book)).containsExactly(Optional.of("a1"), Optional.empty());
  }

  @Test
  void aRecordThatWasNotThereIsLookedForBeforeTheOtherOneIsWritten() {
    RecordBook<String> book = book(false);
    add(book);
    assertThat(book.look(B, true).value()).isEmpty();
    book(false).apply(B, true, before -> new Decision.Write<>("b1"));
    Part<String> missing =
        book.part(
            B,
            true,
            before ->
                before.isEmpty()
                    ? new Decision.Keep<>()
                    : new Decision.Refuse<>(OperatorCode.CLAIM_HELD_BY, before.get()));

    fails(() -> RecordBook.apply(List.of(added(book, A), missing)))
        .satisfies(failure -> assertThat(failure.outcome()).isEqualTo(ChangeOutcome.REFUSED))
        .withMessage("b1");

    assertThat(both(book)).containsExactly(Optional.of("a1"), Optional.of("b1"));
  }

  @Test
  void recordsOfTwoStoresAreNotWrittenTogether() {
    RecordBook<String> elsewhere =
        new RecordBook<>(new MemoryStore(), new Words(true), Optional.empty());

    assertThatExceptionOfType(IllegalArgumentException.class)
        .isThrownBy(() -> RecordBook.apply(List.of(added(book(true), A), added(elsewhere, B))));
  }

  @Test
  void theFailureOfOneOfTwoRecordsNamesIt() {
    RecordBook<String> book = book(true);
    Part<String> long9 = book.part(B, true, before -> new Decision.Write<>("b12345678"));

    fails(() -> RecordBook.apply(List.of(added(book, A), long9)))
        .satisfies(failure -> assertThat(failure.key()).contains(B))
        .satisfies(failure -> assertThat(failure.code()).isEqualTo(OperatorCode.CLAIM_TOO_LARGE));
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void nothingIsChangedInAStoreWithTheMarkOfAMove(boolean acquires) {
    RecordValues<MoveMark> marks = MoveMark.in(store);
    StoreIdentity other = new StoreIdentity("other");
    WriteResult marked =
        store.write(
            marks.draft(marks.read(MoveMark.KEY), Optional.of(new MoveMark(other, true, false))));
    assertThat(marked).isInstanceOf(WriteResult.Written.class);
    RecordBook<String> book = book(true);
    String why =
        "the move of the records of store 'other' to store '%s' is not complete"
            .formatted(store.identity());

    fails(() -> book.apply(A, acquires, RecordBookTest::plusOne))
        .satisfies(failure -> assertThat(failure.outcome()).isEqualTo(ChangeOutcome.HELD))
        .satisfies(failure -> assertThat(failure.code()).isEqualTo(OperatorCode.STORE_MOVED))
        .withMessage(why);
    fails(() -> book.look(A, true)).withMessage(why);
    assertThat(book.look(A, false).value()).isEmpty();
    assertThat(store.write(marks.draft(marks.read(MoveMark.KEY), Optional.empty())))
        .isInstanceOf(WriteResult.Written.class);
    assertThat(add(book).after().value()).as("the move is complete").contains("a1");
  }
}
