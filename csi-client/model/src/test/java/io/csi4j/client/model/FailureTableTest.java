package io.csi4j.client.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.csi4j.client.model.FailureRule.Retry;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

class FailureTableTest {

  private static final Set<StatusCode> SETTLED =
      EnumSet.of(
          StatusCode.INVALID_ARGUMENT,
          StatusCode.NOT_FOUND,
          StatusCode.ALREADY_EXISTS,
          StatusCode.PERMISSION_DENIED,
          StatusCode.FAILED_PRECONDITION,
          StatusCode.OUT_OF_RANGE,
          StatusCode.UNIMPLEMENTED,
          StatusCode.UNAUTHENTICATED);

  private static final Set<StatusCode> FAILURES = EnumSet.complementOf(EnumSet.of(StatusCode.OK));

  /** What each wording of the reference's {@code retry?} column is in our terms. */
  private static final Map<String, Retry> RETRY =
      Map.ofEntries(
          Map.entry("no", Retry.NEVER),
          Map.entry("no; after that check", Retry.AFTER_FIX),
          Map.entry("no; may be repeated once access has been granted", Retry.AFTER_FIX),
          Map.entry("no; may be repeated once the volumes are reconfigured", Retry.AFTER_FIX),
          Map.entry("no; may be repeated once space is freed", Retry.AFTER_FIX),
          Map.entry("yes with backoff", Retry.BACKOFF),
          Map.entry("yes with backoff; only after that check", Retry.AFTER_FIX),
          Map.entry("yes with backoff; after that check", Retry.AFTER_FIX),
          Map.entry("yes with backoff; only after the obstacle is gone", Retry.AFTER_FIX),
          Map.entry("yes with backoff; only after a volume was detached", Retry.AFTER_FIX),
          Map.entry(
              "yes with backoff; after calling ControllerUnpublishVolume for the other node",
              Retry.AFTER_FIX),
          Map.entry(
              "yes with backoff; after calling ControllerUnpublishVolume, NodeUnstageVolume or"
                  + " NodeUnpublishVolume, by capability",
              Retry.AFTER_FIX),
          Map.entry(
              "yes with backoff; no rule given, keep probing at the configured period",
              Retry.AFTER_FIX),
          Map.entry(
              "after calling ValidateVolumeCapabilities, or once the volume is unpublished on the"
                  + " node",
              Retry.AFTER_FIX),
          Map.entry("after calling NodeStageVolume", Retry.AFTER_FIX),
          Map.entry("after calling NodeUnpublishVolume for the other target", Retry.AFTER_FIX),
          Map.entry("after calling DeleteSnapshot", Retry.AFTER_FIX),
          Map.entry("after calling DeleteVolumeGroupSnapshot instead", Retry.AFTER_REQUEST_CHANGE),
          Map.entry("after changing args", Retry.AFTER_REQUEST_CHANGE),
          Map.entry("after changing args (secrets)", Retry.AFTER_REQUEST_CHANGE),
          Map.entry("after changing args (empty starting_token)", Retry.AFTER_REQUEST_CHANGE));

  /** Rows whose {@code no} only forbids repeating by itself: a later call may well succeed. */
  private static final Set<String> NO_UNTIL_FIXED =
      Set.of("CreateSnapshot RESOURCE_EXHAUSTED", "GetMetadataDelta FAILED_PRECONDITION");

  @Test
  void everyOperationHasARuleForEveryCode() {
    assertThat(rules()).hasSize(36 * 16);
    assertThat(rules().map(rule -> rule.operation() + " " + rule.code())).doesNotHaveDuplicates();
  }

  @ParameterizedTest
  @EnumSource
  void successHasNoRule(CsiOperation operation) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> FailureRule.of(operation, StatusCode.OK))
        .withMessageContaining("OK is not a failure");
  }

  @ParameterizedTest
  @MethodSource("rules")
  void theOutcomeIsSettledOnlyWhereThePluginRefused(FailureRule rule) {
    assertThat(rule.outcome())
        .isEqualTo(SETTLED.contains(rule.code()) ? Outcome.SETTLED : Outcome.UNCERTAIN);
  }

  @ParameterizedTest
  @MethodSource("rules")
  void theClientRepeatsByItselfOnlyWhatIsUncertain(FailureRule rule) {
    if (rule.retry().isAutomatic()) {
      assertThat(rule.outcome()).isEqualTo(Outcome.UNCERTAIN);
    }
  }

  @ParameterizedTest
  @MethodSource("rules")
  void whatIsNotImplementedOrLostIsNeverRepeated(FailureRule rule) {
    if (rule.code() == StatusCode.UNIMPLEMENTED || rule.code() == StatusCode.DATA_LOSS) {
      assertThat(rule.retry()).isEqualTo(Retry.NEVER);
    }
  }

  @Test
  void pendingIsWhatAbortedMeansExceptForListings() {
    assertThat(rules().filter(rule -> rule.retry() == Retry.AFTER_PENDING))
        .allMatch(rule -> rule.code() == StatusCode.ABORTED)
        .hasSize(33);
    assertThat(FailureRule.of(CsiOperation.LIST_VOLUMES, StatusCode.ABORTED).retry())
        .isEqualTo(Retry.AFTER_REQUEST_CHANGE);
    assertThat(
            FailureRule.of(CsiOperation.CONTROLLER_LIST_VOLUME_HEALTH, StatusCode.ABORTED).retry())
        .isEqualTo(Retry.AFTER_REQUEST_CHANGE);
    assertThat(FailureRule.of(CsiOperation.LIST_SNAPSHOTS, StatusCode.ABORTED).retry())
        .isEqualTo(Retry.AFTER_REQUEST_CHANGE);
  }

  @ParameterizedTest
  @MethodSource("rules")
  void meaningsAreClausesAndAdviceIsSentences(FailureRule rule) {
    assertThat(rule.meaning()).isNotBlank().matches("[a-z].*[^.!?:;, ]");
    assertThat(rule.advice()).isNotBlank().matches("[A-Z].*[^.]\\.");
    assertThat(rule.meaning() + " " + rule.advice()).doesNotContain("  ", "\n", "..", " .", " ,");
  }

  @ParameterizedTest
  @MethodSource("ownRules")
  void aRowOfItsOwnSaysMoreThanTheGeneralOne(FailureRule rule) {
    FailureTable.Row general = FailureTable.general(rule.code());
    assertThat(rule.meaning()).isNotEqualTo(general.meaning());
    assertThat(rule.advice()).doesNotStartWith(general.advice());
  }

  @ParameterizedTest
  @EnumSource
  void noTwoCodesOfAnOperationReadTheSame(CsiOperation operation) {
    List<FailureRule> rules = rules().filter(rule -> rule.operation() == operation).toList();
    assertThat(rules).extracting(FailureRule::meaning).doesNotHaveDuplicates();
    assertThat(rules).extracting(FailureRule::advice).doesNotHaveDuplicates();
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "OK")
  void generalRowsFitEveryOperation(StatusCode code) {
    FailureTable.Row row = FailureTable.general(code);
    String words = (row.meaning() + " " + row.advice()).toLowerCase(Locale.ROOT);
    assertThat(words)
        .doesNotContain("volume", "snapshot", "group", "node", "path", "mount", "stag", "attach");
    for (CsiOperation operation : CsiOperation.values()) {
      assertThat(words).doesNotContain(operation.rpcName().toLowerCase(Locale.ROOT));
    }
  }

  @ParameterizedTest
  @EnumSource
  void adviceOnAnUncertainCallSaysWhatMayBeLeftBehind(CsiOperation operation) {
    FailureRule rule = FailureRule.of(operation, StatusCode.DEADLINE_EXCEEDED);
    String verb = operation.rpcName();
    boolean changes = !verb.matches(".*(Get|List|Validate|Probe).*");
    assertThat(FailureTable.leftBehind(operation).isPresent() || !changes).isTrue();
    if (changes) {
      assertThat(rule.advice()).contains(" may ");
    }
  }

  @Test
  void undoingNamesTheOppositeCall() {
    assertThat(advice(CsiOperation.NODE_STAGE_VOLUME)).contains("NodeUnstageVolume");
    assertThat(advice(CsiOperation.NODE_PUBLISH_VOLUME)).contains("NodeUnpublishVolume");
    assertThat(advice(CsiOperation.CONTROLLER_PUBLISH_VOLUME))
        .contains("ControllerUnpublishVolume");
    assertThat(advice(CsiOperation.CREATE_VOLUME)).contains("same name", "delete");
  }

  @Test
  void anUnknownVolumeIsNoProofOfDetachment() {
    FailureRule rule =
        FailureRule.of(CsiOperation.CONTROLLER_UNPUBLISH_VOLUME, StatusCode.NOT_FOUND);
    assertThat(rule.retry()).isEqualTo(Retry.AFTER_FIX);
    assertThat(rule.advice()).startsWith("This does not prove that the volume is detached");
  }

  @Test
  void internalErrorsOfSnapshotsMayBeALackOfSpace() {
    for (CsiOperation operation :
        List.of(CsiOperation.CREATE_SNAPSHOT, CsiOperation.CREATE_VOLUME_GROUP_SNAPSHOT)) {
      FailureRule rule = FailureRule.of(operation, StatusCode.INTERNAL);
      assertThat(rule.retry()).isEqualTo(Retry.BACKOFF);
      assertThat(rule.advice()).contains("Some plugins report a lack of space this way");
    }
  }

  @ParameterizedTest
  @MethodSource("ownReferenceRows")
  void everyRowThatTheSpecGivesAnOperationIsKept(Reference row) {
    CsiOperation operation = CsiOperation.ofRpcName(row.rpc()).orElseThrow();
    assertThat(FailureTable.own(operation)).containsKey(row.code());
    assertThat(FailureRule.of(operation, row.code()).retry()).isEqualTo(expectedRetry(row));
  }

  @ParameterizedTest
  @MethodSource("generalReferenceRows")
  void everyRowThatTheSpecGivesToAllOperationsIsKept(Reference row) {
    Retry expected =
        row.code() == StatusCode.ABORTED ? Retry.AFTER_PENDING : RETRY.get(row.retry());
    assertThat(RETRY).containsKey(row.retry());
    assertThat(FailureTable.general(row.code()).retry()).isEqualTo(expected);
  }

  @Test
  void codesThatTheSpecLeavesOpenFollowTheirGeneralMeaning() {
    for (StatusCode code :
        List.of(StatusCode.INVALID_ARGUMENT, StatusCode.ALREADY_EXISTS, StatusCode.OUT_OF_RANGE)) {
      assertThat(FailureTable.general(code).retry()).isEqualTo(Retry.AFTER_REQUEST_CHANGE);
    }
    for (StatusCode code : List.of(StatusCode.NOT_FOUND, StatusCode.FAILED_PRECONDITION)) {
      assertThat(FailureTable.general(code).retry()).isEqualTo(Retry.AFTER_FIX);
    }
    assertThat(FailureTable.general(StatusCode.RESOURCE_EXHAUSTED).retry())
        .isEqualTo(Retry.BACKOFF);
  }

  @Test
  void aBrokenStreamIsTakenUpWhereItStopped() {
    List<String> unread =
        reference()
            .filter(row -> !row.rpc().equals("(every RPC)"))
            .filter(row -> CsiOperation.ofRpcName(row.rpc()).isEmpty())
            .map(Reference::rpc)
            .toList();
    assertThat(unread).containsExactly("(GetMetadata*, on the stream)");
    for (CsiOperation operation :
        List.of(CsiOperation.GET_METADATA_ALLOCATED, CsiOperation.GET_METADATA_DELTA)) {
      assertThat(FailureRule.of(operation, StatusCode.UNAVAILABLE).advice())
          .contains("repeat the request from the offset after the last range");
    }
  }

  private static String advice(CsiOperation operation) {
    return FailureRule.of(operation, StatusCode.DEADLINE_EXCEEDED).advice();
  }

  /**
   * Several conditions may share a code. If one of them needs a change outside the request, the
   * whole row says so, for the caller cannot tell which condition it met.
   */
  private static Retry expectedRetry(Reference row) {
    Set<Retry> all =
        ownReferenceRows()
            .filter(other -> other.rpc().equals(row.rpc()) && other.code() == row.code())
            .map(FailureTableTest::translate)
            .collect(Collectors.toSet());
    if (all.size() > 1) {
      assertThat(all).containsExactlyInAnyOrder(Retry.AFTER_FIX, Retry.AFTER_REQUEST_CHANGE);
      return Retry.AFTER_FIX;
    }
    return all.iterator().next();
  }

  private static Retry translate(Reference row) {
    if (NO_UNTIL_FIXED.contains(row.rpc() + " " + row.code())) {
      assertThat(row.retry()).isEqualTo("no");
      return Retry.AFTER_FIX;
    }
    if (row.code() == StatusCode.ABORTED && row.retry().equals("yes with backoff")) {
      return Retry.AFTER_PENDING;
    }
    assertThat(RETRY).containsKey(row.retry());
    return RETRY.get(row.retry());
  }

  static Stream<FailureRule> rules() {
    return Arrays.stream(CsiOperation.values())
        .flatMap(operation -> FAILURES.stream().map(code -> FailureRule.of(operation, code)));
  }

  static Stream<FailureRule> ownRules() {
    return rules().filter(rule -> FailureTable.own(rule.operation()).containsKey(rule.code()));
  }

  static Stream<Reference> ownReferenceRows() {
    return reference().filter(row -> CsiOperation.ofRpcName(row.rpc()).isPresent());
  }

  static Stream<Reference> generalReferenceRows() {
    return reference()
        .filter(row -> row.rpc().equals("(every RPC)"))
        .filter(row -> !row.codeText().contains(","));
  }

  /** The rows of the reference table: what the spec and its error scheme say, in short. */
  private static Stream<Reference> reference() {
    List<Reference> rows = new ArrayList<>();
    try (InputStream in = FailureTableTest.class.getResourceAsStream("error-table.tsv")) {
      String text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
      for (String line : text.lines().skip(1).toList()) {
        List<String> cells = List.of(line.split("\t", -1));
        assertThat(cells).hasSize(7);
        rows.add(new Reference(cells.get(0), cells.get(1), cells.get(2), cells.get(4)));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    assertThat(rows).hasSizeGreaterThan(70);
    return rows.stream();
  }

  record Reference(String rpc, String codeText, String condition, String retry) {

    StatusCode code() {
      String[] parts = codeText.split(" ", 2);
      StatusCode code = StatusCode.ofValue(Integer.parseInt(parts[0]));
      assertThat(code.name()).isEqualTo(parts[1]);
      return code;
    }
  }
}
