package io.csi4j.volume.workload;

import io.csi4j.volume.model.OperatorMessage;
import io.csi4j.volume.model.VolumeException;
import io.csi4j.volume.model.VolumeException.Outcome;
import java.util.List;

/** Makes one exception of several reasons. */
final class PreflightRefusals {

  private PreflightRefusals() {}

  /** The first, with the others as suppressed ones. */
  public static VolumeException of(List<OperatorMessage> reasons) {
    VolumeException first = of(reasons.get(0));
    reasons.stream().skip(1).forEach(each -> first.addSuppressed(of(each)));
    return first;
  }

  /** For one reason. */
  public static VolumeException of(OperatorMessage reason) {
    return new VolumeException(Outcome.REFUSED, reason, null, null);
  }
}
