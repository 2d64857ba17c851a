package io.csi4j.volume.controller;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.client.model.CapacityRange;
import io.csi4j.volume.catalog.BrokenStore;
import io.csi4j.volume.catalog.CatalogEntry;
import io.csi4j.volume.catalog.CatalogEntry.State;
import io.csi4j.volume.catalog.StoredCatalog;
import io.csi4j.volume.catalog.VolumeChange;
import io.csi4j.volume.catalog.VolumeChange.Progress;
import io.csi4j.volume.catalog.VolumeChange.Request;
import io.csi4j.volume.controller.ControllerEvent.Attempted;
import io.csi4j.volume.internal.catalog.CatalogRecord;
import io.csi4j.volume.internal.catalog.CatalogWork;
import io.csi4j.volume.internal.text.Subject;
import io.csi4j.volume.internal.time.VirtualTime;
import io.csi4j.volume.model.CatalogSamples;
import io.csi4j.volume.model.ChangeOutcome;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.OperatorMessage;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.state.MemoryMedium;
import io.csi4j.volume.store.RecordStore;
import io.csi4j.volume.store.local.LocalStore;
import io.csi4j.volume.store.local.MemoryStore;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What was begun, and is tried again. */
class UnfinishedWorkTest {

  private static final Subject SUBJECT = Subject.of("trying");
  private static final CatalogEntry GOING =
      new CatalogEntry(
          VolumeKey.of("going"),
          CatalogSamples.spec(),
          Optional.of("csi4j-1"),
          new State.Deleting(Optional.empty(), Optional.empty()));

  private static final CatalogEntry OTHER =
      CatalogEntry.of(CatalogSamples.volume(), Optional.empty())
          .in(new State.Growing(CatalogSamples.volume(), CapacityRange.atLeast(99)));

  private final VirtualTime time = new VirtualTime();
  private final RecordStore store = LocalStore.on(MemoryMedium.create().open());
  private final Catalog catalog =
      new Catalog(
          store,
          Optional.empty(),
          new ControlPlaneSession(
              store,
              "cp-1",
              time,
              time,
              time,
              ControlPlaneSession.EXPIRY,
              new OperationReports(List.of(), time)),
          time,
          Duration.ofMinutes(1));
  private final List<ControllerEvent> events = new ArrayList<>();
  private final List<VolumeKey> tried = new ArrayList<>();
  private final List<OperatorCode> told = new ArrayList<>();
  private Consumer<OperatorMessage> listener = message -> told.add(message.code());
  private Function<VolumeKey, CompletableFuture<?>> outcome =
      key -> failed(ChangeOutcome.UNCERTAIN);
  private final UnfinishedWork leftovers =
      new UnfinishedWork(
          catalog,
          time,
          UnfinishedWork.FIRST_PAUSE,
          key -> {
            tried.add(key);
            return outcome.apply(key);
          },
          message -> listener.accept(message),
          new OperationReports(List.of(events::add), time));

  private static CompletableFuture<?> failed(ChangeOutcome outcome) {
    return failed(outcome, OperatorCode.CONTROLLER_CALL_IN_DOUBT);
  }

  private static CompletableFuture<?> failed(ChangeOutcome outcome, OperatorCode code) {
    return CompletableFuture.failedFuture(
        ControllerFailures.failed(outcome, code, SUBJECT, "no", null));
  }

  private void put(CatalogEntry entry) {
    catalog.work(SUBJECT, entry.key(), work -> work.end(SUBJECT, entry));
  }

  private void remove(VolumeKey key) {
    catalog.work(SUBJECT, key, work -> work.remove(SUBJECT));
  }

  private VolumeChange deletion() {
    List<VolumeChange> shown = leftovers.shown(GOING.key(), GOING.changes());
    assertThat(shown).hasSize(1);
    assertThat(shown.get(0).request()).isEqualTo(new Request.Deletion());
    return shown.get(0);
  }

  @Test
  void aFailureIsReportedOncePerCodeAndShownWithTheChange() {
    put(GOING);
    leftovers.later();
    assertThat(deletion().seen()).isEmpty();
    time.pass(Duration.ofMinutes(1));
    assertThat(told).containsExactly(OperatorCode.CONTROLLER_CALL_IN_DOUBT);
    assertThat(deletion())
        .isEqualTo(
            new VolumeChange(new Request.Deletion(), Progress.IN_PROGRESS, "no", Optional.empty()));

    outcome = key -> failed(ChangeOutcome.UNAVAILABLE, OperatorCode.PLUGIN_NOT_UP);
    time.pass(Duration.ofHours(1));

    assertThat(tried).hasSizeGreaterThan(6);
    assertThat(told)
        .containsExactly(OperatorCode.CONTROLLER_CALL_IN_DOUBT, OperatorCode.PLUGIN_NOT_UP);
  }

  @Test
  void whatWaitsForAPersonIsShownWithItsMessageAndReportedAgainIfItFailsAgain() {
    put(GOING);
    outcome = key -> failed(ChangeOutcome.HELD, OperatorCode.VOLUME_ID_TAKEN);
    leftovers.later();
    time.pass(Duration.ofDays(1));
    assertThat(told).containsExactly(OperatorCode.VOLUME_ID_TAKEN);
    assertThat(deletion().progress()).isEqualTo(Progress.HELD);
    assertThat(deletion().seen()).startsWith("CSI-938 VOLUME_ID_TAKEN: trying: no; ");

    leftovers.ended(GOING.key(), Optional.empty());
    assertThat(deletion().progress()).isEqualTo(Progress.IN_PROGRESS);
    time.pass(Duration.ofDays(1));
    assertThat(told).containsExactly(OperatorCode.VOLUME_ID_TAKEN, OperatorCode.VOLUME_ID_TAKEN);
  }

  @Test
  void aListenerThatThrowsKeepsNoVolumeFromBeingTriedAgain() {
    put(GOING);
    listener =
        message -> {
          throw new IllegalStateException("a broken listener");
        };
    leftovers.later();
    time.pass(Duration.ofHours(1));
    assertThat(tried).hasSizeGreaterThan(5);
  }

  @Test
  void whereNothingIsOwedNothingIsTried() {
    put(CatalogEntry.of(CatalogSamples.volume(), Optional.empty()));
    leftovers.later();
    assertThat(leftovers.owed()).isEmpty();
    assertThat(time.waiting()).isZero();
  }

  @Test
  void whatIsOwedIsTriedAgainAndAgainWithGrowingPauses() {
    put(GOING);
    leftovers.later();
    leftovers.later();
    List<Duration> pauses = new ArrayList<>();
    for (int i = 0; i < 12; i++) {
      assertThat(time.timers()).hasSize(1);
      pauses.add(time.timers().get(0));
      time.pass(time.timers().get(0));
    }
    assertThat(pauses.subList(0, 4))
        .containsExactly(
            Duration.ofMillis(750),
            Duration.ofMillis(1500),
            Duration.ofSeconds(3),
            Duration.ofSeconds(6));
    assertThat(pauses.subList(9, 12)).containsOnly(Duration.ofSeconds(384));
    assertThat(tried).hasSize(12).containsOnly(GOING.key());
  }

  @Test
  void aVolumeWhosePluginIsDownForLongDelaysNoOther() {
    put(GOING);
    leftovers.later();
    time.pass(Duration.ofHours(1));
    tried.clear();

    put(OTHER);
    leftovers.later();
    time.pass(Duration.ofSeconds(3));

    assertThat(tried).containsExactly(OTHER.key(), OTHER.key());
  }

  @Test
  void aVolumeWhoseWorkDoesNotEndHoldsUpNoOther() {
    CompletableFuture<Done> silent = new CompletableFuture<>();
    put(GOING);
    put(OTHER);
    outcome = key -> key.equals(GOING.key()) ? silent : failed(ChangeOutcome.UNCERTAIN);
    leftovers.later();

    time.pass(Duration.ofSeconds(6));
    assertThat(tried).containsExactlyInAnyOrder(GOING.key(), OTHER.key(), OTHER.key(), OTHER.key());

    remove(OTHER.key());
    silent.complete(Done.DONE);
    assertThat(time.timers()).as("it is not at its end").contains(Duration.ofMillis(1500));
  }

  @Test
  void afterItsEndThePausesOfAVolumeBeginAgainWithAShortOne() {
    put(GOING);
    leftovers.later();
    time.pass(Duration.ofHours(1));
    outcome =
        key -> {
          remove(key);
          return CompletableFuture.completedFuture(Done.DONE);
        };
    time.pass(Duration.ofHours(1));
    assertThat(time.waiting()).isZero();

    put(GOING);
    leftovers.later();

    assertThat(time.timers()).containsExactly(Duration.ofMillis(750));
  }

  @Test
  void whatHasComeToItsEndIsNotTriedAgain() {
    put(GOING);
    put(OTHER);
    outcome =
        key -> {
          remove(key);
          return CompletableFuture.completedFuture(Done.DONE);
        };
    assertThat(leftovers.owed()).containsExactlyInAnyOrder(GOING.key(), OTHER.key());
    leftovers.later();
    time.pass(Duration.ofSeconds(1));
    assertThat(tried).containsExactlyInAnyOrder(GOING.key(), OTHER.key());
    assertThat(time.waiting()).isZero();
  }

  @Test
  void whatNeedsAPersonWaitsForOne() {
    put(GOING);
    outcome = key -> failed(ChangeOutcome.HELD);
    leftovers.later();
    time.pass(Duration.ofDays(1));
    assertThat(tried).containsExactly(GOING.key());
    assertThat(leftovers.owed()).containsExactly(GOING.key());

    outcome = key -> failed(ChangeOutcome.UNCERTAIN);
    leftovers.ended(GOING.key(), Optional.empty());
    time.pass(Duration.ofDays(1));
    assertThat(tried).as("after a person has mended it").hasSizeGreaterThan(2);
  }

  private Attempted attempted(
      int number, Attempted.Outcome outcome, ChangeOutcome failure, Optional<Duration> pause) {
    return new Attempted(
        GOING.key(),
        ControllerEvent.Operation.DELETE,
        number,
        outcome,
        Optional.of(
            ControllerFailures.failed(
                    failure, OperatorCode.CONTROLLER_CALL_IN_DOUBT, SUBJECT, "no", null)
                .operatorMessage()),
        pause.map(time.wall()::plus));
  }

  @Test
  void theEndOfEachAttemptIsReportedWithItsNumberAndTheTimeOfTheNext() {
    put(GOING);
    leftovers.later();
    assertThat(leftovers.next(GOING.key())).contains(time.wall().plusMillis(750));
    time.pass(Duration.ofMillis(750));
    assertThat(events)
        .containsExactly(
            attempted(
                1,
                Attempted.Outcome.FAILED,
                ChangeOutcome.UNCERTAIN,
                Optional.of(Duration.ofMillis(1500))));

    events.clear();
    outcome = key -> failed(ChangeOutcome.HELD);
    time.pass(Duration.ofMillis(1500));
    Attempted held = attempted(2, Attempted.Outcome.HELD, ChangeOutcome.HELD, Optional.empty());
    assertThat(events).containsExactly(held);
    assertThat(leftovers.attempts(GOING.key())).isEqualTo(2);
    assertThat(leftovers.failure(GOING.key())).isEqualTo(held.failure());

    events.clear();
    outcome =
        key -> {
          remove(key);
          return CompletableFuture.completedFuture(Done.DONE);
        };
    leftovers.ended(GOING.key(), Optional.empty());
    time.pass(Duration.ofSeconds(1));
    assertThat(events)
        .containsExactly(
            new Attempted(
                GOING.key(),
                ControllerEvent.Operation.DELETE,
                1,
                Attempted.Outcome.DONE,
                Optional.empty(),
                Optional.empty()));
    assertThat(leftovers.failure(GOING.key())).isEmpty();
  }

  @ParameterizedTest
  @EnumSource(
      value = OperatorCode.class,
      names = {
        "CATALOG_WENT_BACK",
        "CATALOG_UNREADABLE",
        "CLUSTER_COPIED",
        "CLAIM_STORE_WENT_BACK",
        "CLAIM_UNREADABLE",
        "STORE_MOVED"
      })
  void volumesThatWaitForAStoreGoOnWhenAPersonHasSettledIt(OperatorCode code) {
    put(GOING);
    put(OTHER);
    outcome = key -> failed(ChangeOutcome.HELD, code);
    leftovers.later();
    time.pass(Duration.ofSeconds(2));
    assertThat(leftovers.held()).containsExactlyInAnyOrder(GOING.key(), OTHER.key());
    assertThat(deletion().progress()).isEqualTo(Progress.HELD);
    tried.clear();

    time.pass(Duration.ofMinutes(10));
    assertThat(tried)
        .as("one volume asks for both, each in its turn")
        .hasSize(20)
        .startsWith(GOING.key(), OTHER.key(), GOING.key());
    assertThat(told).as("once for each volume").containsExactly(code, code);
    assertThat(leftovers.held()).containsExactlyInAnyOrder(GOING.key(), OTHER.key());

    outcome =
        key -> {
          remove(key);
          return CompletableFuture.completedFuture(Done.DONE);
        };
    time.pass(Duration.ofSeconds(32));
    assertThat(leftovers.owed()).isEmpty();
    assertThat(leftovers.held()).isEmpty();
    time.pass(Duration.ofMinutes(1));
    assertThat(time.waiting()).isZero();
  }

  @ParameterizedTest
  @EnumSource(
      value = OperatorCode.class,
      names = {"CATALOG_DOWN", "CATALOG_UNCONFIRMED", "CLAIM_STORE_DOWN", "CONTROLLER_BUSY"})
  void aStoreThatDoesNotAnswerALookIsNotSettled(OperatorCode unanswered) {
    put(GOING);
    put(OTHER);
    outcome = key -> failed(ChangeOutcome.HELD, OperatorCode.CATALOG_WENT_BACK);
    leftovers.later();
    time.pass(Duration.ofSeconds(2));
    tried.clear();

    outcome = key -> failed(ChangeOutcome.UNAVAILABLE, unanswered);
    time.pass(Duration.ofMinutes(10));

    assertThat(tried).as("one of both at each look").hasSize(20);
    assertThat(leftovers.held()).containsExactlyInAnyOrder(GOING.key(), OTHER.key());
  }

  @Test
  void aSettledStoreEndsNoHoldForAnotherReason() {
    put(GOING);
    put(OTHER);
    outcome =
        key ->
            failed(
                ChangeOutcome.HELD,
                key.equals(GOING.key())
                    ? OperatorCode.VOLUME_MAY_BE_LEFT
                    : OperatorCode.CLUSTER_COPIED);
    leftovers.later();
    time.pass(Duration.ofSeconds(2));
    tried.clear();

    outcome = key -> failed(ChangeOutcome.UNAVAILABLE, OperatorCode.PLUGIN_NOT_UP);
    time.pass(Duration.ofHours(1));

    assertThat(tried).hasSizeGreaterThan(6).containsOnly(OTHER.key());
    assertThat(leftovers.held()).containsExactly(GOING.key());
  }

  @Test
  void anAttemptThatFindsAnotherControlPlaneAtWorkIsReportedAsElsewhere() {
    RecordStore shared = new MemoryStore();
    OperationReports reports = new OperationReports(List.of(events::add), time);
    ControlPlaneSession session =
        new ControlPlaneSession(
            shared, "cp-1", time, time, time, ControlPlaneSession.EXPIRY, reports);
    Catalog both = new Catalog(shared, Optional.empty(), session, time, Duration.ofMinutes(1));
    both.work(SUBJECT, GOING.key(), work -> work.end(SUBJECT, GOING));
    CatalogWork other =
        new CatalogWork(
            CatalogWork.VOLUME, CatalogWork.Kind.CHANGE, new CatalogWork.Owner("of-2", "cp-2"), 9);
    UnfinishedWork work =
        new UnfinishedWork(
            both,
            time,
            UnfinishedWork.FIRST_PAUSE,
            key -> {
              StoredCatalog.put(shared, CatalogRecord.of(GOING).with(other));
              return CompletableFuture.completedFuture(Done.DONE);
            },
            message -> {},
            reports);
    work.later(GOING.key());
    time.pass(Duration.ofSeconds(1));

    assertThat(events)
        .containsExactly(
            new Attempted(
                GOING.key(),
                ControllerEvent.Operation.DELETE,
                1,
                Attempted.Outcome.ELSEWHERE,
                Optional.empty(),
                Optional.empty()));
    both.close();
    shared.close();
  }

  /** Work on a catalog that several control planes share. */
  private UnfinishedWork shared(RecordStore of) {
    OperationReports reports = new OperationReports(List.of(), time);
    ControlPlaneSession session =
        new ControlPlaneSession(of, "cp-1", time, time, time, ControlPlaneSession.EXPIRY, reports);
    return new UnfinishedWork(
        new Catalog(of, Optional.empty(), session, time, Duration.ofMinutes(1)),
        time,
        UnfinishedWork.FIRST_PAUSE,
        key -> {
          tried.add(key);
          return outcome.apply(key);
        },
        message -> {},
        reports);
  }

  @Test
  void anExceptionThatAStoreShouldNotThrowEndsNoLookForWhatOthersHaveLeft() {
    RecordStore memory = new MemoryStore();
    BrokenStore rough = new BrokenStore(memory);
    UnfinishedWork work = shared(rough);
    work.later();
    rough.fail(() -> new UncheckedIOException(new IOException("broken pipe")));
    assertThatThrownBy(() -> time.pass(Duration.ofSeconds(30)))
        .as("for the log")
        .isInstanceOf(UncheckedIOException.class);
    rough.answer();
    StoredCatalog.put(memory, CatalogRecord.of(GOING));

    time.pass(Duration.ofSeconds(31));

    assertThat(tried).containsExactly(GOING.key());
    work.close();
  }

  @Test
  void aVolumeIsTriedAgainThoughTheStoreThrowsWhatItShouldNot() {
    RecordStore memory = new MemoryStore();
    BrokenStore rough = new BrokenStore(memory);
    StoredCatalog.put(memory, CatalogRecord.of(GOING));
    UnfinishedWork work = shared(rough);
    outcome =
        key -> {
          rough.fail(() -> new UncheckedIOException(new IOException("broken pipe")));
          return failed(ChangeOutcome.UNCERTAIN);
        };
    work.later(GOING.key());

    time.pass(Duration.ofSeconds(10));

    assertThat(tried).hasSizeGreaterThan(2);
    work.close();
  }

  @Test
  void afterClosingNothingIsTried() {
    put(GOING);
    leftovers.later();
    leftovers.close();
    time.pass(Duration.ofHours(1));
    leftovers.later();
    assertThat(tried).isEmpty();
    assertThat(time.waiting()).isZero();
  }
}
