package io.csi4j.mount.campaign;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * One share of the long campaigns, written "2/4": the second of four.
 *
 * @param number the number of the share, from 1
 * @param count how many shares there are
 */
record CampaignShare(int number, int count) {

  /** Name of the property with the share that is played; without it all are. */
  static final String PROPERTY = "campaign.share";

  private static final Pattern FORM = Pattern.compile("([1-9]\\d{0,3})/([1-9]\\d{0,3})");

  /** Reads a share. */
  static CampaignShare parse(String text) {
    Matcher parts = FORM.matcher(text);
    if (parts.matches()) {
      CampaignShare share =
          new CampaignShare(Integer.parseInt(parts.group(1)), Integer.parseInt(parts.group(2)));
      if (share.number <= share.count) {
        return share;
      }
    }
    throw new IllegalArgumentException(
        "'"
            + text
            + "' is no share of the campaigns: it is not a number from 1 and, after a slash, how"
            + " many shares there are. Set "
            + PROPERTY
            + " to one such as 1/4, or leave it out to play all.");
  }

  /**
   * Returns true if a case belongs to this share; each belongs to exactly one of them.
   *
   * @param test the name of the test. The first cases of different tests are in different shares,
   *     so that those of tests with few cases do not meet in the first one.
   * @param index the number of the case among those of its test
   */
  boolean has(String test, int index) {
    return Math.floorMod(test.hashCode() + index, count) == number - 1;
  }

  @Override
  public String toString() {
    return number + "/" + count;
  }

  /** Lets a test run if it belongs to the share. */
  static final class Condition implements ExecutionCondition {

    private static final Pattern TEST =
        Pattern.compile(".*\\[(?:method:.*|test-template-invocation:#(\\d+))]");

    @Override
    public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
      Optional<CampaignShare> share =
          context.getConfigurationParameter(PROPERTY).map(CampaignShare::parse);
      Matcher test = TEST.matcher(context.getUniqueId());
      if (share.isEmpty() || !test.matches()) {
        return ConditionEvaluationResult.enabled("all shares, or a container of tests");
      }
      int index = test.group(1) == null ? 0 : Integer.parseInt(test.group(1)) - 1;
      String name =
          context.getRequiredTestClass().getName()
              + "#"
              + context.getRequiredTestMethod().getName();
      return share.get().has(name, index)
          ? ConditionEvaluationResult.enabled("in share " + share.get())
          : ConditionEvaluationResult.disabled("not in share " + share.get() + " of the campaigns");
    }
  }
}
