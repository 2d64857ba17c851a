package io.csi4j.volume.internal.path;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.state.StateException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What keeps state and directories from being used has a code for operators. */
class PathProblemTest {

  @ParameterizedTest
  @EnumSource(StateException.Reason.class)
  void everyReasonOfTheStateHasACode(StateException.Reason reason) {
    assertThat(StateCodes.of(reason))
        .returns(reason.name(), OperatorCode::name)
        .returns(2, code -> code.number() / 100);
  }

  @ParameterizedTest
  @EnumSource(PathProblem.Kind.class)
  void everyProblemOfAPathHasACode(PathProblem.Kind kind) {
    assertThat(kind.code().severity()).isEqualTo(OperatorCode.Severity.ERROR);
  }
}
