package io.csi4j.client.internal.mapping;

/**
 * Thrown when the {@link AnswerFindings} of an answer contain a violation. The mapping of an answer
 * throws no other exception. The call path converts this exception and the findings into a {@code
 * CsiAnswerException}.
 */
public final class UnusableAnswerException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  public UnusableAnswerException() {
    super("The answer breaks the contract; see the findings.", null, false, false);
  }
}
