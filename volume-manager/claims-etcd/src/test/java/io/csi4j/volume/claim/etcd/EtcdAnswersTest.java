package io.csi4j.volume.claim.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.csi4j.volume.claim.etcd.Etcd.Failure.Fate;
import io.csi4j.volume.internal.time.VirtualTime;
import io.csi4j.volume.model.ReasonText;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.state.StateValue;
import io.csi4j.volume.store.RecordKey;
import io.csi4j.volume.store.RecordKey.Space;
import io.csi4j.volume.store.RecordStore.WriteResult;
import io.csi4j.volume.store.RecordStoreException;
import io.csi4j.volume.store.RecordStoreException.Reason;
import io.csi4j.volume.store.RecordWrite;
import io.csi4j.volume.store.StoreIdentity;
import io.csi4j.volume.store.StoredRecord;
import io.csi4j.volume.store.shared.StoreMemory;
import io.grpc.Status;
import java.net.URI;
import java.nio.channels.ClosedChannelException;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import org.assertj.core.util.Throwables;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What the store makes of what etcd answers. */
class EtcdAnswersTest {

  private static final EtcdSettings SETTINGS = EtcdSettings.of(URI.create("http://h:1"));
  private static final RecordKey DB = RecordKey.of(Space.CLAIMS, VolumeKey.of("db"));
  private static final byte MINE = 1;
  private static final byte ANOTHER = 2;

  private final ScriptedEtcd etcd = new ScriptedEtcd();
  private final EtcdStore store = new EtcdStore(etcd, new VirtualTime(), SETTINGS, true);

  private static StoredRecord at(long version, byte value) {
    return StoredRecord.of(DB, version, new byte[] {value});
  }

  private static Etcd.Failure failure(Fate fate) {
    return new Etcd.Failure(fate, "it is raining", "Wait", null);
  }

  private WriteResult write() {
    return store.write(
        new RecordWrite(
            DB, Optional.of(at(7, (byte) 9)), Optional.of(StateValue.of(new byte[] {MINE}))));
  }

  @Test
  void theVersionOfAWriteIsTheRevisionThatItMade() {
    etcd.then(etcd.answer(true, 42));

    assertThat(write()).isEqualTo(new WriteResult.Written(List.of(at(42, MINE))));
    assertThat(etcd.asked).containsExactly("look", "write CLAIMS/default/db after 7");
  }

  @Test
  void whatAnotherOneWroteIsAConflict() {
    etcd.then(etcd.answer(false, 42, at(41, ANOTHER)));

    assertThat(write()).isEqualTo(new WriteResult.Conflict(List.of(at(41, ANOTHER))));
  }

  @Test
  void aWriteOfWhichTheEndIsNotKnownIsUnknown() {
    etcd.then(failure(Fate.UNKNOWN));

    assertThat(write()).isEqualTo(new WriteResult.Unknown(new ReasonText("it is raining")));
  }

  @Test
  void aWriteThatWasSurelyRefusedFails() {
    etcd.then(failure(Fate.REFUSED));

    RecordStoreException failure = catchThrowableOfType(RecordStoreException.class, this::write);

    assertThat(failure.reason()).isEqualTo(Reason.UNAVAILABLE);
    assertThat(failure).hasMessage("Writing CLAIMS/default/db failed: it is raining. Wait.");
  }

  @Test
  void aWriteIntoAClosedStoreFails() {
    etcd.then(failure(Fate.CLOSED));

    assertThat(catchThrowableOfType(RecordStoreException.class, this::write).reason())
        .isEqualTo(Reason.CLOSED);
  }

  @ParameterizedTest
  @EnumSource(Status.Code.class)
  void aWriteIsRefusedForSureOnlyWhereEtcdLooksBeforeItWrites(Status.Code code) {
    boolean isRefused =
        EnumSet.of(
                Status.Code.UNAUTHENTICATED,
                Status.Code.PERMISSION_DENIED,
                Status.Code.INVALID_ARGUMENT,
                Status.Code.UNIMPLEMENTED)
            .contains(code);

    assertThat(
            new JetcdFailures(SETTINGS)
                .of(code.toStatus().withDescription("secret").asRuntimeException())
                .fate())
        .isEqualTo(isRefused ? Fate.REFUSED : Fate.UNKNOWN);
  }

  @ParameterizedTest
  @EnumSource(Status.Code.class)
  void noFailureShowsWhatEtcdSaidInWords(Status.Code code) {
    Etcd.Failure failure =
        new JetcdFailures(SETTINGS)
            .of(code.toStatus().withDescription("secret").asRuntimeException());

    assertThat(failure.because()).startsWith("etcd at http://h:1 ").doesNotContain("secret");
    assertThat(failure.remedy()).doesNotContain("secret").doesNotEndWith(".");
    assertThat(Throwables.getStackTrace(failure))
        .contains("Caused by: io.grpc.StatusRuntimeException: " + code)
        .doesNotContain("\tat io.grpc.");
  }

  @Test
  void aConnectionThatIsJustBeingClosedIsNoAnswer() {
    Throwable thrown =
        new ExecutionException(
            Status.UNKNOWN
                .withDescription("channel closed")
                .withCause(new ClosedChannelException())
                .asRuntimeException());

    Etcd.Failure failure = new JetcdFailures(SETTINGS).of(thrown);

    assertThat(failure.fate()).isEqualTo(Fate.UNKNOWN);
    assertThat(failure.because())
        .isEqualTo("etcd at http://h:1 cannot be reached, or has no leader");
    assertThat(JetcdFailures.isPassing(thrown)).isTrue();
    assertThat(JetcdFailures.isPassing(Status.UNKNOWN.asRuntimeException())).isFalse();
  }

  @Test
  void behindALoginThatCouldNotBeMadeStandsWhy() {
    Throwable thrown =
        Status.UNAUTHENTICATED
            .withCause(Status.UNAVAILABLE.asRuntimeException())
            .asRuntimeException();

    Etcd.Failure failure = new JetcdFailures(SETTINGS).of(thrown);

    assertThat(failure.fate()).isEqualTo(Fate.REFUSED);
    assertThat(failure.because())
        .isEqualTo("etcd at http://h:1 cannot be reached, or has no leader");
  }

  @Test
  void aPageNeverHasMoreThanAnAnswerHolds() {
    assertThat(store.scan(Space.CLAIMS, Optional.empty(), 7).records()).isEmpty();
    assertThat(store.scan(Space.VOLUMES, Optional.empty(), Integer.MAX_VALUE).records()).isEmpty();

    assertThat(etcd.asked).containsExactly("look", "scan CLAIMS 7", "scan VOLUMES 256");
  }

  // ---- another store

  @Test
  void anotherMarkIsAnotherStoreForGood() {
    StoreIdentity before = store.identity();
    StoreIdentity mark = etcd.mark();
    etcd.becomes(new StoreIdentity("other"));
    store.read(DB);
    etcd.becomes(mark);
    store.read(DB);

    assertThat(before).isEqualTo(new StoreIdentity("etcd-abc-" + mark));
    assertThat(store.identity()).isEqualTo(new StoreIdentity("etcd-abc-other"));
    assertThat(store.uncertainty(DB)).isEmpty();
  }

  @Test
  void anotherClusterIsAnotherStore() {
    etcd.then(new Etcd.Answer(true, 10, 0xdef, Optional.of(etcd.mark()), List.<StoredRecord>of()));
    store.read(DB);

    assertThat(store.identity()).isEqualTo(new StoreIdentity("etcd-def-" + etcd.mark()));
  }

  @Test
  void aRevisionThatGoesBackIsDoubtedForGood() {
    etcd.at(20);
    store.read(DB);
    etcd.at(19);
    store.read(DB);
    etcd.at(30);
    store.read(DB);

    assertThat(store.uncertainty(DB))
        .contains(
            new ReasonText(
                "etcd is at revision 19, and was at 20 before: an older copy of it was restored"));
  }

  @Test
  void anAnswerThatWasOvertakenByALaterOneIsNoGoingBack() {
    long before = 10;
    StoreIdentity store = etcd.answer(true, before).identity();
    StoreMemory memory =
        new StoreMemory(
            "etcd is at revision",
            Optional.empty(),
            store,
            "EtcdStore.settle()",
            Optional.empty(),
            before);
    memory.saw(before, store, 12);
    memory.saw(before, store, 11);

    assertThat(memory.uncertainty()).isEmpty();
    assertThat(memory.reached()).isEqualTo(12);
  }

  @Test
  void aStoreThatCannotBeAskedIsNotOpened() {
    ScriptedEtcd silent = new ScriptedEtcd().then(failure(Fate.UNKNOWN));

    assertThat(
            catchThrowableOfType(
                RecordStoreException.class,
                () -> new EtcdStore(silent, new VirtualTime(), SETTINGS, true)))
        .hasMessage("Opening the store failed: it is raining. Wait.");
  }
}
