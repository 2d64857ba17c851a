package io.csi4j.client.internal.mapping;

/**
 * Says that the {@link AnswerFindings} of an answer hold a violation. The only exception that the
 * mapping of an answer throws; the call path turns it and its findings into a {@code
 * CsiAnswerException}.
 */
public final class UnusableAnswerException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  public UnusableAnswerException() {
    super("The answer breaks the contract; the findings say how.", null, false, false);
  }
}
