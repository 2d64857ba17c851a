package io.csi4j.volume.state;

import static io.csi4j.volume.state.StateStore.Durability.BEST_EFFORT;
import static io.csi4j.volume.state.StateStore.Durability.DEFERRED;
import static io.csi4j.volume.state.StateStore.Durability.REQUIRED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.volume.state.StateStore.Stored;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What every {@link StateStore} promises. Extend it for a store of your own: each test has a medium
 * to itself, which outlives the stores that are opened on it.
 */
public abstract class StateStoreContract {

  protected static final StateKey VOLUME = StateKey.volume("v-1");
  protected static final StateKey OTHER = StateKey.volume("v-2");
  protected static final StateKey GRAVE = StateKey.tombstone("v-1");

  private StateStore store;

  /** The contract, for the class of a store. */
  protected StateStoreContract() {}

  /** Opens a store on the medium of this test. */
  protected abstract StateStore open();

  /** Lets the process of this store die: it is not closed, and no longer the owner. */
  protected abstract void crash(StateStore store);

  /** Lets the medium refuse every write. */
  protected abstract void refuseWrites();

  /** Lets the medium accept writes again. */
  protected abstract void acceptWrites();

  @AfterEach
  void close() {
    acceptWrites();
    if (store != null) {
      store.close();
    }
  }

  /** A value of this text. */
  protected static StateValue value(String text) {
    return StateValue.of(text.getBytes(StandardCharsets.UTF_8));
  }

  private StateStore store() {
    if (store == null) {
      store = open();
    }
    return store;
  }

  private SortedMap<StateKey, StateValue> values() {
    return store().load().values();
  }

  private void reopen() {
    store().close();
    store = open();
  }

  private void crash() {
    crash(store());
    store = open();
  }

  private void put(StateKey key, StateValue value) {
    assertThat(store().put(key, value, REQUIRED)).isEqualTo(Stored.DURABLE);
  }

  /** The ways into the next life of a state. */
  public enum Ending {
    CLOSE,
    CRASH
  }

  private void end(Ending ending) {
    if (ending == Ending.CLOSE) {
      reopen();
    } else {
      crash();
    }
  }

  // ---- a new state

  @Test
  void aNewStateHoldsNothingAndDoubtsNothing() {
    LoadedState loaded = store().load();

    assertThat(loaded.values()).isEmpty();
    assertThat(loaded.uncertainties()).isEmpty();
    assertThat(loaded.mayMissKeys()).isFalse();
  }

  @Test
  void aNewStateWasWrittenOnNoHost() {
    assertThat(store().load().writtenOn()).isEmpty();
  }

  @Test
  void aNewStateHasRoomForAnIntent() {
    assertThat(store().capacity().canRecordIntent()).isTrue();
  }

  @ParameterizedTest
  @EnumSource
  void anEmptyStateIsStillEmptyInItsNextLife(Ending ending) {
    end(ending);

    assertThat(values()).isEmpty();
    assertThat(store().load().uncertainties()).isEmpty();
    assertThat(store().load().writtenOn()).isPresent();
  }

  // ---- values

  @Test
  void aValueIsThereAfterThePut() {
    put(VOLUME, value("one"));

    assertThat(values()).containsOnly(Map.entry(VOLUME, value("one")));
    assertThat(store().load().value(VOLUME)).contains(value("one"));
    assertThat(store().load().value(OTHER)).isEmpty();
  }

  @ParameterizedTest
  @EnumSource
  void aValueIsThereInTheNextLife(Ending ending) {
    put(VOLUME, value("one"));
    end(ending);

    assertThat(values()).containsOnly(Map.entry(VOLUME, value("one")));
    assertThat(store().load().uncertainties()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "s", "one", "something much longer than the value before it"})
  void aValueIsReplacedAsAWhole(String second) {
    put(VOLUME, value("the first"));
    put(VOLUME, value(second));
    crash();

    assertThat(values()).containsOnly(Map.entry(VOLUME, value(second)));
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 7, 8, 9, 511, 512, 513, 4096, 65_535, 65_536})
  void aValueOfAnySizeSurvives(int size) {
    byte[] bytes = new byte[size];
    for (int i = 0; i < size; i++) {
      bytes[i] = (byte) (i * 31);
    }
    put(VOLUME, StateValue.of(bytes));
    crash();

    assertThat(values().get(VOLUME).bytes()).isEqualTo(bytes);
  }

  @Test
  void aValueOfZerosSurvives() {
    put(VOLUME, StateValue.of(new byte[300]));
    crash();

    assertThat(values().get(VOLUME).bytes()).isEqualTo(new byte[300]);
  }

  @Test
  void aDeferredValueIsThereAtOnceAndInTheNextLifeOfAStoreThatWasClosed() {
    assertThat(store().put(VOLUME, value("one"), DEFERRED)).isIn(Stored.DEFERRED, Stored.DURABLE);
    assertThat(values()).containsOnly(Map.entry(VOLUME, value("one")));
    reopen();

    assertThat(values()).containsOnly(Map.entry(VOLUME, value("one")));
  }

  @Test
  void whatWasDeferredIsOnTheMediumWithTheNextWriteThatIs() {
    store().put(VOLUME, value("one"), DEFERRED);
    store().put(VOLUME, value("two"), DEFERRED);
    put(OTHER, value("three"));
    crash();

    assertThat(values())
        .containsOnly(Map.entry(VOLUME, value("two")), Map.entry(OTHER, value("three")));
    assertThat(store().load().uncertainties()).isEmpty();
  }

  @Test
  void ofWhatWasDeferredACrashLeavesTheFirstWritesAndNoneAfterOneThatIsLost() {
    List<SortedMap<StateKey, StateValue>> possible = new ArrayList<>();
    put(OTHER, value("kept"));
    possible.add(values());
    for (int i = 0; i < 8; i++) {
      StateKey key = StateKey.volume("v-" + i % 3);
      assertThat(store().put(key, value("x".repeat(100 * i)), DEFERRED))
          .isIn(Stored.DEFERRED, Stored.DURABLE);
      possible.add(values());
    }
    crash();

    assertThat(possible).contains(values());
  }

  @Test
  void aMediumThatRefusesWritesDoesNotRefuseWhatIsDeferred() {
    put(VOLUME, value("one"));
    refuseWrites();
    assertThat(store().put(VOLUME, value("two"), DEFERRED)).isEqualTo(Stored.REMEMBERED);
    assertThat(values()).containsOnly(Map.entry(VOLUME, value("two")));
    acceptWrites();
    put(OTHER, value("three"));
    crash();

    assertThat(values())
        .containsOnly(Map.entry(VOLUME, value("two")), Map.entry(OTHER, value("three")));
  }

  @Test
  void aValueThatIsTooLargeIsRefused() {
    assertThatExceptionOfType(StateException.class)
        .isThrownBy(() -> StateValue.of(new byte[StateValue.MAX_SIZE + 1]))
        .satisfies(
            e -> assertThat(e.reason()).isEqualTo(StateException.Reason.STATE_VALUE_TOO_LARGE))
        .withMessageContaining("65537 bytes, and at most 65536");
  }

  @Test
  void aValueOfTheLargestSizeIsKept() {
    byte[] largest = new byte[StateValue.MAX_SIZE];
    new Random(1).nextBytes(largest);
    put(VOLUME, StateValue.of(largest));
    crash();

    assertThat(values()).containsOnly(Map.entry(VOLUME, StateValue.of(largest)));
  }

  @Test
  void theKindsOfAnIdAreKeptApart() {
    for (StateKey.Kind kind : StateKey.Kind.values()) {
      put(new StateKey(kind, "same"), value(kind.name()));
    }
    crash();

    assertThat(values()).hasSize(StateKey.Kind.values().length);
    for (StateKey.Kind kind : StateKey.Kind.values()) {
      assertThat(values()).containsEntry(new StateKey(kind, "same"), value(kind.name()));
    }
  }

  @Test
  void everyCharacterOfAnIdSurvives() {
    String all = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-";
    put(StateKey.plugin(all), value("all"));
    put(StateKey.plugin("x"), value("one"));
    put(StateKey.plugin("y".repeat(StateKey.MAX_ID)), value("many"));
    crash();

    assertThat(values().keySet())
        .containsExactlyInAnyOrder(
            StateKey.plugin(all),
            StateKey.plugin("x"),
            StateKey.plugin("y".repeat(StateKey.MAX_ID)));
  }

  @Test
  void idsThatDifferOnlyInCaseAreDifferent() {
    put(StateKey.volume("a"), value("lower"));
    put(StateKey.volume("A"), value("upper"));
    crash();

    assertThat(values().get(StateKey.volume("a"))).isEqualTo(value("lower"));
    assertThat(values().get(StateKey.volume("A"))).isEqualTo(value("upper"));
  }

  @Test
  void anArrayThatTheCallerChangesLaterDoesNoHarm() {
    byte[] bytes = {1, 2, 3};
    put(VOLUME, StateValue.of(bytes));
    Arrays.fill(bytes, (byte) 9);

    assertThat(values().get(VOLUME).bytes()).containsExactly(1, 2, 3);
  }

  @Test
  void anArrayThatWasHandedOutDoesNoHarm() {
    put(VOLUME, StateValue.of(new byte[] {1, 2, 3}));
    Arrays.fill(values().get(VOLUME).bytes(), (byte) 9);

    assertThat(values().get(VOLUME).bytes()).containsExactly(1, 2, 3);
  }

  @ParameterizedTest
  @EnumSource
  void manyKeysSurvive(Ending ending) {
    TreeMap<StateKey, StateValue> expected = new TreeMap<>();
    for (int i = 0; i < 300; i++) {
      expected.put(StateKey.volume("v-" + i), value("value " + i));
    }
    expected.forEach(this::put);
    end(ending);

    assertThat(values()).isEqualTo(expected);
  }

  @ParameterizedTest
  @EnumSource
  void theLastOfManyValuesOfAKeySurvives(Ending ending) {
    for (int i = 0; i < 500; i++) {
      put(VOLUME, value("value " + i));
    }
    end(ending);

    assertThat(values()).containsOnly(Map.entry(VOLUME, value("value 499")));
  }

  @Test
  void aStateLivesThroughManyCrashes() {
    TreeMap<StateKey, StateValue> expected = new TreeMap<>();
    for (int i = 0; i < 30; i++) {
      StateKey key = StateKey.volume("v-" + i % 7);
      expected.put(key, value("life " + i));
      put(key, value("life " + i));
      end(i % 3 == 0 ? Ending.CLOSE : Ending.CRASH);
      assertThat(values()).isEqualTo(expected);
    }
  }

  @Test
  void bestEffortIsDurableOnAMediumThatWorks() {
    assertThat(store().put(VOLUME, value("one"), BEST_EFFORT)).isEqualTo(Stored.DURABLE);
    crash();

    assertThat(values()).containsKey(VOLUME);
  }

  // ---- forgetting

  @Test
  void whatIsRemovedIsGone() {
    put(VOLUME, value("one"));
    put(OTHER, value("two"));

    assertThat(store().remove(VOLUME)).isEqualTo(Stored.DURABLE);
    assertThat(values()).containsOnlyKeys(OTHER);
  }

  @ParameterizedTest
  @EnumSource
  void whatIsRemovedIsGoneInTheNextLife(Ending ending) {
    put(VOLUME, value("one"));
    put(OTHER, value("two"));
    store().remove(VOLUME);
    end(ending);

    assertThat(values()).containsOnlyKeys(OTHER);
  }

  @Test
  void removingWhatIsNotThereIsNoError() {
    assertThat(store().remove(VOLUME)).isEqualTo(Stored.DURABLE);
    assertThat(values()).isEmpty();
  }

  @ParameterizedTest
  @EnumSource
  void aKeyCanComeBackAfterItWasRemoved(Ending ending) {
    put(VOLUME, value("one"));
    store().remove(VOLUME);
    put(VOLUME, value("two"));
    end(ending);

    assertThat(values()).containsOnly(Map.entry(VOLUME, value("two")));
  }

  @Test
  void removingAKeyLeavesTheOtherKindsOfItsId() {
    for (StateKey.Kind kind : StateKey.Kind.values()) {
      put(new StateKey(kind, "same"), value(kind.name()));
    }
    store().remove(StateKey.plugin("same"));
    crash();

    assertThat(values())
        .hasSize(StateKey.Kind.values().length - 1)
        .doesNotContainKey(StateKey.plugin("same"));
  }

  @Test
  void whatIsRemovedStaysAwayHoweverMuchIsWrittenAfterIt() {
    put(OTHER, value("two"));
    store().remove(OTHER);
    for (int i = 0; i < 500; i++) {
      put(VOLUME, value("value " + i));
    }
    crash();

    assertThat(values()).containsOnlyKeys(VOLUME);
  }

  // ---- burying

  @Test
  void aBuriedVolumeLeavesATombstone() {
    put(VOLUME, value("one"));

    assertThat(store().bury(VOLUME, value("was one"))).isEqualTo(Stored.DURABLE);
    assertThat(values()).containsOnly(Map.entry(GRAVE, value("was one")));
  }

  @ParameterizedTest
  @EnumSource
  void aBuriedVolumeStaysBuriedInTheNextLife(Ending ending) {
    put(VOLUME, value("one"));
    put(OTHER, value("two"));
    store().bury(VOLUME, value("was one"));
    end(ending);

    assertThat(values()).containsOnlyKeys(OTHER, GRAVE);
    assertThat(values()).containsEntry(GRAVE, value("was one"));
  }

  @Test
  void aVolumeThatNobodyKnowsCanBeBuried() {
    store().bury(VOLUME, value("never seen"));
    crash();

    assertThat(values()).containsOnly(Map.entry(GRAVE, value("never seen")));
  }

  @Test
  void onlyAVolumeCanBeBuried() {
    put(StateKey.plugin("p"), value("one"));

    assertThatIllegalArgumentException()
        .isThrownBy(() -> store().bury(StateKey.plugin("p"), value("gone")));
    assertThat(values()).containsOnlyKeys(StateKey.plugin("p"));
  }

  @ParameterizedTest
  @EnumSource
  void aVolumeCanComeBackBesideItsTombstone(Ending ending) {
    put(VOLUME, value("one"));
    store().bury(VOLUME, value("was one"));
    put(VOLUME, value("again"));
    end(ending);

    assertThat(values())
        .containsOnly(Map.entry(VOLUME, value("again")), Map.entry(GRAVE, value("was one")));
  }

  @Test
  void aSecondTombstoneReplacesTheFirst() {
    store().bury(VOLUME, value("first"));
    put(VOLUME, value("again"));
    store().bury(VOLUME, value("second"));
    crash();

    assertThat(values()).containsOnly(Map.entry(GRAVE, value("second")));
  }

  @Test
  void removingATombstoneDoesNotBringTheVolumeBack() {
    put(VOLUME, value("one"));
    store().bury(VOLUME, value("was one"));
    store().remove(GRAVE);
    crash();

    assertThat(values()).isEmpty();
  }

  // ---- what is loaded

  @Test
  void whatWasLoadedDoesNotChangeLater() {
    put(VOLUME, value("one"));
    LoadedState before = store().load();
    put(VOLUME, value("two"));
    store().remove(VOLUME);

    assertThat(before.values()).containsOnly(Map.entry(VOLUME, value("one")));
  }

  @Test
  void whatWasLoadedCannotBeChanged() {
    LoadedState loaded = store().load();

    assertThatThrownBy(() -> loaded.values().put(VOLUME, value("one")))
        .isInstanceOf(UnsupportedOperationException.class);
    assertThatThrownBy(() -> loaded.uncertainties().add(null))
        .isInstanceOf(UnsupportedOperationException.class);
  }

  @Test
  void settlingWithoutDoubtsChangesNothing() {
    put(VOLUME, value("one"));

    assertThat(store().settle()).isEqualTo(Stored.DURABLE);
    crash();
    assertThat(values()).containsOnlyKeys(VOLUME);
    assertThat(store().load().uncertainties()).isEmpty();
  }

  // ---- one owner

  @Test
  void aSecondOwnerIsRefusedWithTheNameOfTheFirst() {
    store();

    assertThatExceptionOfType(StateException.class)
        .isThrownBy(this::open)
        .satisfies(
            e -> {
              assertThat(e.reason()).isEqualTo(StateException.Reason.STATE_IN_USE);
              assertThat(e.owner().map(StateStore.Owner::pid))
                  .contains(ProcessHandle.current().pid());
              assertThat(e.owner().map(StateStore.Owner::epoch)).contains(store().owner().epoch());
            });
  }

  @Test
  void whoWasRefusedDoesNoHarmToTheOwner() {
    put(VOLUME, value("one"));
    for (int i = 0; i < 3; i++) {
      assertThatExceptionOfType(StateException.class)
          .isThrownBy(this::open)
          .satisfies(e -> assertThat(e.reason()).isEqualTo(StateException.Reason.STATE_IN_USE));
    }
    put(OTHER, value("two"));
    crash();

    assertThat(values()).containsOnlyKeys(VOLUME, OTHER);
  }

  @ParameterizedTest
  @EnumSource
  void theEpochGrowsWithEveryOwner(Ending ending) {
    long first = store().owner().epoch();
    end(ending);
    long second = store().owner().epoch();
    end(ending);

    assertThat(second).isGreaterThan(first);
    assertThat(store().owner().epoch()).isGreaterThan(second);
  }

  @Test
  void theOwnerIsThisProcess() {
    assertThat(store().owner().pid()).isEqualTo(ProcessHandle.current().pid());
  }

  // ---- the end

  @Test
  void closingTwiceIsNoError() {
    put(VOLUME, value("one"));
    store().close();
    store().close();
    store = open();

    assertThat(values()).containsOnlyKeys(VOLUME);
  }

  @Test
  void closingTheOldStoreLeavesTheNewOneAlone() {
    StateStore old = store();
    old.close();
    store = open();
    old.close();
    put(VOLUME, value("one"));

    assertThatExceptionOfType(StateException.class)
        .isThrownBy(this::open)
        .satisfies(e -> assertThat(e.reason()).isEqualTo(StateException.Reason.STATE_IN_USE));
  }

  static Stream<Named<Consumer<StateStore>>> uses() {
    return Stream.of(
        Named.of("load", StateStore::load),
        Named.of("put", store -> store.put(VOLUME, value("late"), BEST_EFFORT)),
        Named.of("remove", store -> store.remove(VOLUME)),
        Named.of("bury", store -> store.bury(VOLUME, value("late"))),
        Named.of("settle", StateStore::settle),
        Named.of("capacity", StateStore::capacity));
  }

  @ParameterizedTest
  @MethodSource("uses")
  void aClosedStoreRefusesEverythingByName(Consumer<StateStore> use) {
    put(VOLUME, value("one"));
    StateStore closed = store();
    closed.close();

    assertThatExceptionOfType(StateException.class)
        .isThrownBy(() -> use.accept(closed))
        .satisfies(e -> assertThat(e.reason()).isEqualTo(StateException.Reason.STATE_CLOSED))
        .withMessageContaining("Open it again");
    store = open();
    assertThat(values()).containsOnly(Map.entry(VOLUME, value("one")));
  }

  // ---- a medium that refuses

  @Test
  void takingIsRefusedWithTheReason() {
    put(VOLUME, value("one"));
    refuseWrites();

    assertThatExceptionOfType(StateException.class)
        .isThrownBy(() -> store().put(VOLUME, value("two"), REQUIRED))
        .satisfies(
            e ->
                assertThat(e.reason())
                    .isIn(
                        StateException.Reason.STATE_DISK_FULL,
                        StateException.Reason.STATE_READ_ONLY,
                        StateException.Reason.JOURNAL_SYNC_FAILED));
    assertThat(values()).containsOnly(Map.entry(VOLUME, value("one")));
  }

  @Test
  void theCapacitySaysThatOnlyReleasesGoOn() {
    store();
    refuseWrites();
    StateException.Reason reason = refusedTaking();

    assertThat(store().capacity().canRecordIntent()).isFalse();
    assertThat(store().capacity())
        .isInstanceOfSatisfying(
            StateStore.Capacity.ReleasesOnly.class,
            only -> {
              assertThat(only.reason()).isEqualTo(reason);
              assertThat(only.text()).isNotBlank();
            });
  }

  private StateException.Reason refusedTaking() {
    try {
      store().put(OTHER, value("refused"), REQUIRED);
      throw new AssertionError("the medium was to refuse");
    } catch (StateException e) {
      return e.reason();
    }
  }

  static Stream<Named<Consumer<StateStore>>> releases() {
    return Stream.of(
        Named.of(
            "put",
            store ->
                assertThat(store.put(VOLUME, value("less"), BEST_EFFORT))
                    .isEqualTo(Stored.REMEMBERED)),
        Named.of("remove", store -> assertThat(store.remove(VOLUME)).isEqualTo(Stored.REMEMBERED)),
        Named.of(
            "bury",
            store -> assertThat(store.bury(VOLUME, value("was"))).isEqualTo(Stored.REMEMBERED)));
  }

  @ParameterizedTest
  @MethodSource("releases")
  void givingBackGoesOnInMemory(Consumer<StateStore> release) {
    put(VOLUME, value("one"));
    refuseWrites();
    release.accept(store());

    assertThat(store().load().value(VOLUME)).isNotEqualTo(Optional.of(value("one")));
  }

  @ParameterizedTest
  @MethodSource("releases")
  void whatWasRememberedIsWrittenBeforeTheNextTaking(Consumer<StateStore> release) {
    put(VOLUME, value("one"));
    refuseWrites();
    release.accept(store());
    acceptWrites();
    put(OTHER, value("two"));
    SortedMap<StateKey, StateValue> expected = values();
    crash();

    assertThat(values()).isEqualTo(expected).containsKey(OTHER);
    assertThat(values().get(VOLUME)).isNotEqualTo(value("one"));
    assertThat(store().capacity().canRecordIntent()).isTrue();
  }

  @ParameterizedTest
  @MethodSource("releases")
  void whatWasRememberedIsWrittenWhenTheStoreIsClosed(Consumer<StateStore> release) {
    put(VOLUME, value("one"));
    refuseWrites();
    release.accept(store());
    acceptWrites();
    SortedMap<StateKey, StateValue> expected = values();
    reopen();

    assertThat(values()).isEqualTo(expected);
  }

  @Test
  void whatWasDurableSurvivesACrashWhileTheMediumRefuses() {
    put(VOLUME, value("one"));
    refuseWrites();
    store().put(VOLUME, value("less"), BEST_EFFORT);
    crash(store());
    acceptWrites();
    store = open();

    assertThat(values()).containsOnly(Map.entry(VOLUME, value("one")));
  }

  @Test
  void aStoreOnAMediumThatRefusesCanBeClosed() {
    put(VOLUME, value("one"));
    refuseWrites();
    store().remove(VOLUME);
    store().close();
    acceptWrites();
    store = open();

    assertThat(values()).containsOnlyKeys(VOLUME);
  }

  @Test
  void takingGoesOnWhenTheMediumAcceptsAgain() {
    store();
    refuseWrites();
    refusedTaking();
    acceptWrites();
    put(VOLUME, value("one"));
    crash();

    assertThat(values()).containsEntry(VOLUME, value("one"));
  }

  // ---- threads

  @Test
  void anInterruptNeitherEndsAWriteNorGetsLost() throws Exception {
    StateStore open = store();
    boolean flag =
        inThread(
            () -> {
              Thread.currentThread().interrupt();
              for (int i = 0; i < 100; i++) {
                open.put(VOLUME, value("value " + i), REQUIRED);
              }
              open.load();
              open.capacity();
              return Thread.interrupted();
            });
    put(OTHER, value("two"));
    crash();

    assertThat(flag).isTrue();
    assertThat(values())
        .containsOnly(Map.entry(VOLUME, value("value 99")), Map.entry(OTHER, value("two")));
  }

  @Test
  void anInterruptedThreadCanOpenAndClose() throws Exception {
    boolean flag =
        inThread(
            () -> {
              Thread.currentThread().interrupt();
              put(VOLUME, value("one"));
              reopen();
              reopen();
              return Thread.interrupted();
            });

    assertThat(flag).isTrue();
    assertThat(values()).containsOnlyKeys(VOLUME);
  }

  private static <T> T inThread(Callable<T> task) throws Exception {
    ExecutorService thread = Executors.newSingleThreadExecutor();
    try {
      return thread.submit(task).get();
    } finally {
      thread.shutdownNow();
    }
  }

  @Test
  void theWritesOfManyThreadsAllSurvive() throws Exception {
    StateStore open = store();
    inParallel(
        4,
        thread -> {
          for (int i = 0; i < 50; i++) {
            open.put(StateKey.volume("t" + thread + "-" + i), value("v" + i), REQUIRED);
          }
        });
    crash();

    assertThat(values()).hasSize(200);
  }

  @Test
  void theOrderOfWritesToOneKeyIsTheSameInTheNextLife() throws Exception {
    StateStore open = store();
    inParallel(
        4,
        thread -> {
          for (int i = 0; i < 50; i++) {
            open.put(VOLUME, value("t" + thread + "-" + i), REQUIRED);
          }
        });
    StateValue last = values().get(VOLUME);
    crash();

    assertThat(values()).containsOnly(Map.entry(VOLUME, last));
  }

  private static void inParallel(int threads, Consumer<Integer> task) throws Exception {
    ExecutorService pool = Executors.newFixedThreadPool(threads);
    try {
      List<Future<?>> running = new ArrayList<>();
      for (int i = 0; i < threads; i++) {
        int thread = i;
        running.add(pool.submit(() -> task.accept(thread)));
      }
      for (Future<?> future : running) {
        future.get();
      }
    } finally {
      pool.shutdownNow();
    }
  }
}
