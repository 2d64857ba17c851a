package io.csi4j.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.csi4j.client.internal.text.FieldLimits;
import io.csi4j.testkit.Referee;
import io.csi4j.testkit.referee.Duty;
import io.csi4j.testkit.referee.DutyId;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The table of sizes against the duties of callers, as the spec states them. */
class FieldLimitsTest {

  static Stream<Arguments> stated() {
    return Stream.of(
        arguments(55, "at most 128 bytes", 128, FieldLimits.TEXT),
        arguments(56, "at most 4 KiB in total", 4096, FieldLimits.MAP),
        arguments(59, "at 128 bytes", 128, FieldLimits.TEXT),
        arguments(60, "node_id of up to 256 bytes", 256, FieldLimits.NODE_ID),
        arguments(61, "at most 4 KiB together", 4096, FieldLimits.MOUNT_FLAGS));
  }

  @ParameterizedTest
  @MethodSource("stated")
  void theSizesAreThoseOfTheDuties(int duty, String words, int bytes, int limit) {
    assertThat(Referee.duties())
        .filteredOn(each -> each.id().equals(DutyId.of(duty)))
        .singleElement()
        .extracting(Duty::text)
        .asString()
        .contains(words);
    assertThat(limit).isEqualTo(bytes);
  }
}
