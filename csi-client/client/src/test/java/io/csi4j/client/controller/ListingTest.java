package io.csi4j.client.controller;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.csi4j.client.CsiPlugin;
import io.csi4j.client.internal.proto.ControllerListVolumeHealthResponse;
import io.csi4j.client.internal.proto.ListSnapshotsResponse;
import io.csi4j.client.internal.proto.ListVolumesResponse;
import io.csi4j.client.model.ConnectOptions;
import io.csi4j.client.model.CsiAnswerException;
import io.csi4j.client.model.CsiException;
import io.csi4j.client.model.CsiListener;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.CsiTransientException;
import io.csi4j.client.model.Listing;
import io.csi4j.client.model.Page;
import io.csi4j.client.model.Secrets;
import io.csi4j.client.model.SnapshotId;
import io.csi4j.client.model.StatusCode;
import io.csi4j.client.model.Violation;
import io.csi4j.client.model.VolumeHealthReport;
import io.csi4j.client.model.VolumeId;
import io.csi4j.client.scripted.ScriptedPlugin;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Lists that are read page by page. */
class ListingTest {

  @TempDir Path directory;
  private ScriptedPlugin scripted;
  private CsiPlugin plugin;
  private final Queue<Violation> warnings = new ConcurrentLinkedQueue<>();

  @BeforeEach
  void connect() {
    scripted = ScriptedPlugin.start(directory.resolve("csi.sock"));
    CsiListener listener =
        new CsiListener() {
          @Override
          public void onWarning(Warning warning) {
            warnings.add(warning.violation());
          }
        };
    plugin =
        CsiPlugin.connect(scripted.endpoint(), ConnectOptions.builder().listener(listener).build());
  }

  @AfterEach
  void close() {
    plugin.close();
    scripted.close();
  }

  private static ListVolumesResponse page(String nextToken, String... ids) {
    ListVolumesResponse.Builder page = ListVolumesResponse.newBuilder().setNextToken(nextToken);
    for (String id : ids) {
      page.addEntriesBuilder().getVolumeBuilder().setVolumeId(id);
    }
    return page.build();
  }

  /** Answers each token with what {@code pages} has for it: a page, or a status code. */
  private void script(Function<String, Object> pages) {
    scripted.on(
        CsiOperation.LIST_VOLUMES,
        (call, reply) -> {
          String token =
              call.as(io.csi4j.client.internal.proto.ListVolumesRequest.class).getStartingToken();
          Object answer = pages.apply(token);
          if (answer instanceof ListVolumesResponse page) {
            reply.ok(page);
          } else {
            reply.fail((StatusCode) answer, "scripted");
          }
        });
  }

  @Test
  void theHealthOfVolumesIsListedPageByPageWithTheSecretsOfTheFirst() {
    scripted.on(
        CsiOperation.CONTROLLER_LIST_VOLUME_HEALTH,
        (call, reply) -> {
          String token =
              call.as(io.csi4j.client.internal.proto.ControllerListVolumeHealthRequest.class)
                  .getStartingToken();
          ControllerListVolumeHealthResponse.Builder page =
              ControllerListVolumeHealthResponse.newBuilder()
                  .setNextToken(token.isEmpty() ? "2" : "");
          page.addEntriesBuilder()
              .setVolumeId(token.isEmpty() ? "a" : "b")
              .addHealthStatusesBuilder()
              .setStatusValue(1)
              .setReason("ReplicaLost");
          reply.ok(page.build());
        });
    Secrets secrets = Secrets.of(Map.of("key", "hunter2"));
    Listing<VolumeHealthReport> health =
        plugin
            .controller()
            .volumeHealth(
                ControllerListVolumeHealthRequest.builder().maxEntries(1).secrets(secrets).build());

    assertThat(health.stream().map(report -> report.volumeId().value())).containsExactly("a", "b");
    assertThat(scripted.calls(CsiOperation.CONTROLLER_LIST_VOLUME_HEALTH))
        .hasSize(2)
        .allSatisfy(
            call -> {
              var request =
                  call.as(io.csi4j.client.internal.proto.ControllerListVolumeHealthRequest.class);
              assertThat(request.getMaxEntries()).isEqualTo(1);
              assertThat(request.getSecretsMap()).isEqualTo(secrets.reveal());
            });
    assertThat(plugin.controller().volumeHealth().iterator().next().isWell()).isFalse();
  }

  private Listing<VolumeEntry> volumes() {
    return plugin.controller().volumes(ListVolumesRequest.builder().build());
  }

  private int asked() {
    return scripted.calls(CsiOperation.LIST_VOLUMES).size();
  }

  private List<String> tokens() {
    return scripted.calls(CsiOperation.LIST_VOLUMES).stream()
        .map(
            call ->
                call.as(io.csi4j.client.internal.proto.ListVolumesRequest.class).getStartingToken())
        .toList();
  }

  /** Reads to the end, and gives what was read even if the end is a failure. */
  private static <E extends CsiException> E readUntilFailure(
      Class<E> how, Iterator<VolumeEntry> entries, List<String> read) {
    return catchThrowableOfType(
        how, () -> entries.forEachRemaining(entry -> read.add(entry.volume().id().value())));
  }

  private static List<String> ids(Iterable<VolumeEntry> entries) {
    List<String> ids = new ArrayList<>();
    entries.forEach(entry -> ids.add(entry.volume().id().value()));
    return ids;
  }

  @Test
  void nothingIsAskedBeforeTheFirstEntryIsWantedAndTheNextPageOnlyWhenWanted() {
    script(token -> token.isEmpty() ? page("t1", "a", "b") : page("", "c"));
    Iterator<VolumeEntry> entries = volumes().iterator();
    assertThat(asked()).isZero();
    assertThat(entries.hasNext()).isTrue();
    entries.next();
    entries.next();
    assertThat(asked()).isEqualTo(1);
    assertThat(entries.next().volume().id()).isEqualTo(VolumeId.of("c"));
    assertThat(asked()).isEqualTo(2);
    assertThat(entries.hasNext()).isFalse();
    assertThat(entries.hasNext()).isFalse();
    assertThatThrownBy(entries::next).isInstanceOf(java.util.NoSuchElementException.class);
    assertThat(asked()).isEqualTo(2);
  }

  @Test
  void pagesFollowEachOtherInOrderAndTokensGoBackAsTheyCame() {
    String odd = "{\"offset\": 7} /ü";
    script(
        token ->
            switch (token) {
              case "" -> page(odd, "a", "b");
              case "2" -> page("", "e");
              default -> token.equals(odd) ? page("2", "c", "d") : StatusCode.INTERNAL;
            });
    assertThat(ids(volumes())).containsExactly("a", "b", "c", "d", "e");
    assertThat(tokens()).containsExactly("", odd, "2");
  }

  @Test
  void aTokenThatComesAgainEndsTheListBehindTheEntriesOfItsPage() {
    script(token -> token.isEmpty() ? page("t", "a") : page("t", "b", "c"));
    List<String> read = new ArrayList<>();
    Iterator<VolumeEntry> entries = volumes().iterator();
    CsiAnswerException failure = readUntilFailure(CsiAnswerException.class, entries, read);
    assertThat(read).containsExactly("a", "b", "c");
    assertThat(failure.violations())
        .singleElement()
        .satisfies(each -> assertThat(each.rule()).isEqualTo(Violation.Rule.ENDLESS));
    assertThatThrownBy(entries::hasNext).isInstanceOf(CsiAnswerException.class);
    assertThat(asked()).isEqualTo(2);
  }

  @Test
  void aPluginThatIgnoresTheTokenOfTheCallerIsFoundOutAtOnce() {
    script(token -> page("mine", "a"));
    List<String> read = new ArrayList<>();
    readUntilFailure(
        CsiAnswerException.class,
        plugin
            .controller()
            .volumes(ListVolumesRequest.builder().startingToken("mine").build())
            .iterator(),
        read);
    assertThat(read).containsExactly("a");
  }

  @Test
  void tenEmptyPagesInARowAreLetPassTheEleventhIsNot() {
    script(token -> token.equals("..........") ? page("", "z") : page(token + "."));
    assertThat(ids(volumes())).containsExactly("z");
    script(token -> token.equals("...........") ? page("", "z") : page(token + "."));
    Iterator<VolumeEntry> entries = volumes().iterator();
    assertThatThrownBy(entries::hasNext)
        .isInstanceOf(CsiAnswerException.class)
        .hasMessageContaining("11 pages in a row were empty");
    assertThatThrownBy(entries::hasNext).isInstanceOf(CsiAnswerException.class);
    assertThat(asked()).isEqualTo(11 + 11);
  }

  @Test
  void anEmptyLastPageIsAnEndLikeAnyOther() {
    script(token -> page(""));
    assertThat(volumes()).isEmpty();
    script(token -> token.equals("..........") ? page("") : page(token + "."));
    assertThat(volumes()).isEmpty();
  }

  @Test
  void moreEntriesThanAskedAreTakenWithAWarning() {
    script(token -> page("", "a", "b", "c"));
    assertThat(ids(plugin.controller().volumes(ListVolumesRequest.builder().maxEntries(2).build())))
        .containsExactly("a", "b", "c");
    assertThat(warnings)
        .singleElement()
        .satisfies(
            each -> {
              assertThat(each.rule()).isEqualTo(Violation.Rule.TOO_LARGE);
              assertThat(each.field()).isEqualTo("entries");
            });
  }

  @Test
  void aForgottenTokenBeginsTheListAnewWithoutRepeatingAnything() {
    int[] forgets = {3};
    script(
        token ->
            switch (token) {
              case "" -> page("1", "a", "b");
              case "1" -> page("2", "c", "new-" + forgets[0]);
              default -> forgets[0]-- > 0 ? StatusCode.ABORTED : page("", "d");
            });
    assertThat(ids(volumes()))
        .containsExactly("a", "b", "c", "new-3", "new-2", "new-1", "new-0", "d");
    assertThat(tokens()).containsExactly("", "1", "2", "", "1", "2", "", "1", "2", "", "1", "2");
  }

  @Test
  void aFourthForgottenTokenIsTheFailureItself() {
    script(token -> token.isEmpty() ? page("1", "a") : StatusCode.ABORTED);
    List<String> read = new ArrayList<>();
    Iterator<VolumeEntry> entries = volumes().iterator();
    CsiException failure = readUntilFailure(CsiException.class, entries, read);
    assertThat(failure.code()).isEqualTo(StatusCode.ABORTED);
    assertThat(read).containsExactly("a");
    assertThat(tokens()).containsExactly("", "1", "", "1", "", "1", "", "1");
  }

  @Test
  void abortedOnTheFirstPageIsTheFailureItself() {
    script(token -> StatusCode.ABORTED);
    CsiException failure =
        catchThrowableOfType(CsiException.class, () -> volumes().iterator().hasNext());
    assertThat(failure.code()).isEqualTo(StatusCode.ABORTED);
    assertThat(tokens()).containsOnly("");
  }

  @Test
  void aForgottenTokenOfTheCallerIsTheFailureItself() {
    script(token -> token.equals("mine") ? page("2", "a") : StatusCode.ABORTED);
    List<String> read = new ArrayList<>();
    CsiException failure =
        readUntilFailure(
            CsiException.class,
            plugin
                .controller()
                .volumes(ListVolumesRequest.builder().startingToken("mine").build())
                .iterator(),
            read);
    assertThat(failure.code()).isEqualTo(StatusCode.ABORTED);
    assertThat(read).containsExactly("a");
    assertThat(tokens()).startsWith("mine", "2").doesNotContain("");
  }

  @Test
  void whatThePluginListsTwiceIsDeliveredTwice() {
    script(token -> token.isEmpty() ? page("1", "a", "a") : page("", "a", "b"));
    assertThat(ids(volumes())).containsExactly("a", "a", "a", "b");
  }

  @Test
  void entriesWithoutAUsableIdAreSkippedAndCounted() {
    script(token -> token.isEmpty() ? page("1", "", "a", "\u0000") : page("", "b"));
    Page<VolumeEntry> page = plugin.controller().listVolumes(ListVolumesRequest.builder().build());
    assertThat(ids(page.entries())).containsExactly("a");
    assertThat(page.skipped()).isEqualTo(2);
    assertThat(page.nextToken()).contains("1");
    assertThat(ids(volumes())).containsExactly("a", "b");
  }

  @Test
  void aPageOfUnusableEntriesOnlyIsAnEmptyPage() {
    script(token -> page(token + ".", ""));
    assertThatThrownBy(() -> volumes().iterator().hasNext())
        .isInstanceOf(CsiAnswerException.class)
        .hasMessageContaining("11 pages in a row");
  }

  @Test
  void afterATransientFailureTheIteratorGoesOnAtTheSamePage() {
    boolean[] broken = {true};
    script(
        token ->
            token.isEmpty() ? page("1", "a") : broken[0] ? StatusCode.UNAVAILABLE : page("", "b"));
    Iterator<VolumeEntry> entries =
        plugin
            .controller()
            .with(policy -> policy.attempts(1))
            .volumes(ListVolumesRequest.builder().build())
            .iterator();
    List<String> read = new ArrayList<>();
    readUntilFailure(CsiTransientException.class, entries, read);
    assertThat(read).containsExactly("a");
    broken[0] = false;
    entries.forEachRemaining(entry -> read.add(entry.volume().id().value()));
    assertThat(read).containsExactly("a", "b");
    assertThat(tokens()).containsExactly("", "1", "1");
  }

  @Test
  void iteratorsOfOneListingKnowNothingOfEachOther() {
    script(token -> token.isEmpty() ? page("1", "a") : page("", "b"));
    Listing<VolumeEntry> listing = volumes();
    Iterator<VolumeEntry> one = listing.iterator();
    Iterator<VolumeEntry> other = listing.iterator();
    one.next();
    one.next();
    assertThat(other.next().volume().id()).isEqualTo(VolumeId.of("a"));
    assertThat(one.hasNext()).isFalse();
    assertThat(other.next().volume().id()).isEqualTo(VolumeId.of("b"));
    assertThat(tokens()).containsExactly("", "1", "", "1");
  }

  @Test
  void aStreamIsJustAsLazy() {
    script(token -> page(token + ".", "v" + token.length()));
    assertThat(volumes().stream().limit(3).map(entry -> entry.volume().id().value()))
        .containsExactly("v0", "v1", "v2");
    assertThat(asked()).isEqualTo(3);
  }

  @Test
  void filtersAndSecretsOfSnapshotsGoWithEveryPage() {
    scripted.on(
        CsiOperation.LIST_SNAPSHOTS,
        (call, reply) -> {
          var asked = call.as(io.csi4j.client.internal.proto.ListSnapshotsRequest.class);
          ListSnapshotsResponse.Builder page = ListSnapshotsResponse.newBuilder();
          page.addEntriesBuilder()
              .getSnapshotBuilder()
              .setSnapshotId("snap")
              .setSourceVolumeId("vol")
              .setReadyToUse(true)
              .getCreationTimeBuilder()
              .setSeconds(1);
          reply.ok(
              page.setNextToken(
                      asked.getStartingToken().length() < 2 ? asked.getStartingToken() + "." : "")
                  .build());
        });
    ListSnapshotsRequest request =
        ListSnapshotsRequest.builder()
            .maxEntries(7)
            .sourceVolumeId(VolumeId.of("vol"))
            .snapshotId(SnapshotId.of("snap"))
            .secrets(Secrets.of(Map.of("key", "s3cret")))
            .build();
    assertThat(plugin.controller().snapshots(request))
        .extracting(Snapshot::id)
        .containsExactly(SnapshotId.of("snap"), SnapshotId.of("snap"), SnapshotId.of("snap"));
    var expected =
        io.csi4j.client.internal.proto.ListSnapshotsRequest.newBuilder()
            .setMaxEntries(7)
            .setSourceVolumeId("vol")
            .setSnapshotId("snap")
            .putSecrets("key", "s3cret");
    assertThat(scripted.calls(CsiOperation.LIST_SNAPSHOTS))
        .extracting(ScriptedPlugin.Call::request)
        .containsExactly(
            expected.build(),
            expected.setStartingToken(".").build(),
            expected.setStartingToken("..").build());
  }

  @Tag("campaign")
  @Test
  void aHundredThousandEntriesOnAHundredPagesComeThrough() {
    script(
        token -> {
          int number = token.isEmpty() ? 0 : Integer.parseInt(token);
          return page(
              number == 99 ? "" : String.valueOf(number + 1),
              IntStream.range(number * 1000, number * 1000 + 1000)
                  .mapToObj(i -> "volume-" + i)
                  .toArray(String[]::new));
        });
    assertThat(volumes().stream().map(entry -> entry.volume().id()).distinct()).hasSize(100_000);
    assertThat(asked()).isEqualTo(100);
  }
}
