package io.github.redisstreams.publish;

import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.IntStream;

import io.github.redisstreams.redis.Added;
import io.github.redisstreams.redis.EntryId;
import io.github.redisstreams.redis.NewEntry;
import io.github.redisstreams.redis.PublishCommands;
import io.github.redisstreams.support.EntryMessageConverter;
import io.github.redisstreams.test.StubCommands;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.dao.QueryTimeoutException;
import org.springframework.dao.TransientDataAccessResourceException;
import org.springframework.data.redis.connection.stream.RecordId;
import org.springframework.messaging.converter.MessageConversionException;
import org.springframework.transaction.SavepointManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.TransactionSystemException;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.event.TransactionPhase;
import org.springframework.transaction.event.TransactionalEventListener;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.transaction.support.SmartTransactionObject;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyString;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.verify;

/**
 * What is sent when within a transaction.
 */
@ExtendWith(OutputCaptureExtension.class)
class AfterCommitTests {

	private final PublishCommands commands = mock();

	private final List<String> sent = new ArrayList<>();

	private Predicate<String> refused = (payload) -> false;

	private boolean afterCommit = true;

	private final StreamTemplate template = new DefaultStreamTemplate(new StubCommands() {

		@Override
		public PublishCommands publishing() {
			return AfterCommitTests.this.commands;
		}

	}, new EntryMessageConverter(JsonMapper.shared()), new PublisherSettings() {

		@Override
		public boolean afterCommit() {
			return AfterCommitTests.this.afterCommit;
		}

	}, new PublishEvents() {
	});

	private final Transactions transactions = new Transactions();

	private final TransactionTemplate transaction = new TransactionTemplate(this.transactions);

	@BeforeEach
	void takeWhatIsSent() {
		given(this.commands.add(any())).willAnswer((call) -> reply(call.getArgument(0)));
		given(this.commands.addAll(any(), any()))
			.willAnswer((call) -> call.<List<NewEntry>>getArgument(0).stream().map(this::reply).toList());
		given(this.commands.schedule(any(), anyString(), any(), any())).willAnswer((call) -> {
			this.sent.add(payload(call.getArgument(0)) + " later");
			return CompletableFuture.completedFuture(new Added(null, Duration.ofSeconds(1), null, 0));
		});
	}

	@AfterEach
	void nothingIsLeftOnTheThread() {
		assertThat(TransactionSynchronizationManager.getResourceMap()).isEmpty();
		assertThat(TransactionSynchronizationManager.isSynchronizationActive()).isFalse();
	}

	private CompletionStage<Added> reply(NewEntry entry) {
		String payload = payload(entry);
		if (this.refused.test(payload)) {
			return CompletableFuture.failedFuture(
					new TransientDataAccessResourceException("OOM, so no " + payload + " (XADD on 'events')"));
		}
		this.sent.add(payload);
		return CompletableFuture.completedFuture(new Added(new EntryId(1, this.sent.size()), null, null, 0));
	}

	private static String payload(NewEntry entry) {
		return new String(entry.namesAndValues().get(1));
	}

	private void inTransaction(Consumer<TransactionStatus> work) {
		this.transaction.executeWithoutResult((status) -> {
			work.accept(status);
			assertThat(this.sent).isEmpty();
		});
	}

	private TransactionTemplate transaction(int propagation) {
		TransactionTemplate transaction = new TransactionTemplate(this.transactions);
		transaction.setPropagationBehavior(propagation);
		return transaction;
	}

	private void sendToEvents(String payload) {
		this.template.send("events", payload);
	}

	private void afterCommit(Runnable action) {
		TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {

			@Override
			public void afterCommit() {
				action.run();
			}

		});
	}

	private void nested(Consumer<TransactionStatus> work) {
		transaction(TransactionDefinition.PROPAGATION_NESTED).executeWithoutResult(work);
	}

	private static void awaitCollectionOf(List<WeakReference<Object>> references) {
		Awaitility.await().untilAsserted(() -> {
			System.gc();
			assertThat(references).allMatch((reference) -> reference.refersTo(null));
		});
	}

	@Test
	void everythingIsSentAfterTheCommitAndInOrder() {
		inTransaction((status) -> {
			assertThat(this.template.send("events", "a")).isEqualTo(RecordId.autoGenerate());
			assertThat(this.template.sendAll("events", List.of("b", "c"))).containsExactly(RecordId.autoGenerate(),
					RecordId.autoGenerate());
			assertThat(this.template.sendAsync("events", "d")).isNotDone();
			assertThat(this.template.sendAfter("events", "e", Duration.ofSeconds(1))).isNotEmpty();
			this.template.send("events", "f");
		});
		assertThat(this.sent).containsExactly("a", "b", "c", "d", "e later", "f");
	}

	@Test
	void theFutureTellsTheIdAfterTheCommit() {
		List<CompletableFuture<RecordId>> ids = new ArrayList<>();
		inTransaction((status) -> ids.add(this.template.sendAsync("events", "a")));
		assertThat(ids.get(0)).succeedsWithin(Duration.ofSeconds(20)).isEqualTo(RecordId.of("1-1"));
	}

	@Test
	void nothingIsSentAfterARollback() {
		List<CompletableFuture<RecordId>> ids = new ArrayList<>();
		inTransaction((status) -> {
			this.template.send("events", "a");
			this.template.sendAll("events", List.of("b", "c"));
			ids.add(this.template.sendAsync("events", "d"));
			this.template.sendAfter("events", "e", Duration.ofSeconds(1));
			status.setRollbackOnly();
		});
		assertThat(this.sent).isEmpty();
		assertThat(ids.get(0)).isCancelled();
	}

	@Test
	void nothingIsSentIfTheCommitFails(CapturedOutput output) {
		this.transactions.commitFailure = new QueryTimeoutException("The database is gone");
		List<CompletableFuture<RecordId>> ids = new ArrayList<>();
		assertThatExceptionOfType(QueryTimeoutException.class)
			.isThrownBy(() -> inTransaction((status) -> ids.add(this.template.sendAsync("events", "a"))));
		assertThat(this.sent).isEmpty();
		assertThat(ids.get(0)).isCancelled();
		assertThat(output).doesNotContain("not known");
	}

	@Test
	void ifNobodyKnowsWhetherItWasCommittedNothingIsSentAndThatIsLogged(CapturedOutput output) {
		this.transactions.commitFailure = new TransactionSystemException("Connection lost on commit");
		List<CompletableFuture<RecordId>> ids = new ArrayList<>();
		assertThatExceptionOfType(TransactionSystemException.class).isThrownBy(() -> inTransaction((status) -> {
			this.template.send("events", "a");
			ids.add(this.template.sendAsync("events", "b"));
		}));
		assertThat(this.sent).isEmpty();
		assertThat(ids.get(0)).isCancelled();
		assertThat(output).containsOnlyOnce("Entries were not sent, since it is not known whether");
	}

	@Test
	void ifNobodyKnowsWhetherItWasCommittedAndNothingWasToBeSentNothingIsLogged(CapturedOutput output) {
		this.transactions.commitFailure = new TransactionSystemException("Connection lost on commit");
		assertThatExceptionOfType(TransactionSystemException.class)
			.isThrownBy(() -> inTransaction((status) -> nested((step) -> {
				this.template.send("events", "a");
				step.setRollbackOnly();
			})));
		assertThat(output).doesNotContain("not known");
	}

	@Test
	void withoutATransactionItIsSentAtOnce() {
		assertThat(this.template.send("events", "a")).isEqualTo(RecordId.of("1-1"));
		transaction(TransactionDefinition.PROPAGATION_SUPPORTS).executeWithoutResult((status) -> {
			assertThat(TransactionSynchronizationManager.isSynchronizationActive()).isTrue();
			this.template.send("events", "b");
			assertThat(this.sent).containsExactly("a", "b");
		});
		this.transaction.executeWithoutResult((status) -> transaction(TransactionDefinition.PROPAGATION_NOT_SUPPORTED)
			.executeWithoutResult((suspended) -> {
				this.template.send("events", "c");
				assertThat(this.sent).containsExactly("a", "b", "c");
			}));
	}

	@Test
	void ifNotAskedForItIsSentAtOnceThoughThereIsATransaction() {
		this.afterCommit = false;
		this.transaction.executeWithoutResult((status) -> {
			assertThat(this.template.send("events", "a")).isEqualTo(RecordId.of("1-1"));
			assertThat(this.template.sendAsync("events", "b")).succeedsWithin(Duration.ofSeconds(20))
				.isEqualTo(RecordId.of("1-2"));
			status.setRollbackOnly();
		});
		assertThat(this.sent).containsExactly("a", "b");
	}

	@Test
	void whatCannotBeWrittenFailsWithinTheTransaction() {
		Map<String, Object> endless = new HashMap<>();
		endless.put("self", endless);
		inTransaction((status) -> {
			assertThatExceptionOfType(MessageConversionException.class)
				.isThrownBy(() -> this.template.send("events", endless));
			assertThatExceptionOfType(MessageConversionException.class)
				.isThrownBy(() -> this.template.sendAll("events", List.of("a", endless)));
		});
		assertThat(this.sent).isEmpty();
	}

	@Test
	void theContentIsThatOfTheCall() {
		List<String> content = new ArrayList<>(List.of("x"));
		inTransaction((status) -> {
			this.template.send("events", content);
			content.add("y");
		});
		assertThat(this.sent).containsExactly("[\"x\"]");
	}

	@Test
	void whatFailsAfterTheCommitIsThrownToTheCommitterAndTheOthersAreSent() {
		this.refused = "a"::equals;
		assertThatExceptionOfType(TransientDataAccessResourceException.class)
			.isThrownBy(() -> inTransaction((status) -> {
				this.template.send("events", "a");
				this.template.send("events", "b");
			}))
			.withMessageContaining("so no a");
		assertThat(this.sent).containsExactly("b");
		assertThat(this.transactions.committed).isEqualTo(1);
	}

	@Test
	void ifMoreThanOneFailsTheFirstIsThrownAndTheOthersAreLogged(CapturedOutput output) {
		this.refused = List.of("b", "c", "e")::contains;
		assertThatExceptionOfType(TransientDataAccessResourceException.class)
			.isThrownBy(
					() -> inTransaction((status) -> List.of("a", "b", "c", "d", "e", "f").forEach(this::sendToEvents)))
			.withMessageContaining("so no b");
		assertThat(this.sent).containsExactly("a", "d", "f");
		assertThat(output).containsPattern("ERROR.*Sending after the commit has failed")
			.contains("so no c", "so no e")
			.doesNotContain("so no b");
	}

	@Test
	void ifSomethingElseFailsAfterTheCommitEverythingIsSent() {
		assertThatExceptionOfType(IllegalStateException.class).isThrownBy(() -> inTransaction((status) -> {
			afterCommit(() -> {
				throw new IllegalStateException("Something else");
			});
			this.template.send("events", "a");
			this.template.send("events", "b");
		})).withMessage("Something else");
		assertThat(this.sent).containsExactly("a", "b");
	}

	@Test
	void whatFailsOfACollectionSaysWhichWere() {
		this.refused = "b"::equals;
		assertThatExceptionOfType(PartlySentException.class)
			.isThrownBy(() -> inTransaction((status) -> this.template.sendAll("events", List.of("a", "b", "c"))))
			.satisfies((ex) -> {
				assertThat(ex.getSent()).containsOnlyKeys(0, 2);
				assertThat(ex.getFailures()).containsOnlyKeys(1);
			});
	}

	@Test
	void aFutureThatFailsAfterTheCommitIsNotThrownToTheCommitter() {
		this.refused = "a"::equals;
		List<CompletableFuture<RecordId>> ids = new ArrayList<>();
		inTransaction((status) -> ids.add(this.template.sendAsync("events", "a")));
		assertThat(ids.get(0)).failsWithin(Duration.ofSeconds(20))
			.withThrowableThat()
			.havingCause()
			.isInstanceOf(TransientDataAccessResourceException.class);
	}

	@Test
	void whatIsSentByOthersAfterTheCommitIsSent() {
		inTransaction((status) -> {
			TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {

				@Override
				public void afterCommit() {
					AfterCommitTests.this.template.send("events", "from afterCommit");
				}

				@Override
				public void afterCompletion(int status) {
					AfterCommitTests.this.template.send("events", "from afterCompletion");
				}

			});
			this.template.send("events", "a");
		});
		assertThat(this.sent).containsExactlyInAnyOrder("a", "from afterCommit", "from afterCompletion");
	}

	@Test
	void whatFailsOfThatIsLoggedOnly(CapturedOutput output) {
		this.refused = (payload) -> payload.startsWith("from");
		inTransaction((status) -> {
			afterCommit(() -> this.template.send("events", "from one before"));
			this.template.send("events", "a");
			afterCommit(() -> this.template.send("events", "from one after"));
		});
		assertThat(this.sent).containsExactly("a");
		assertThat(output).contains("so no from one before", "so no from one after");
	}

	@Test
	void whatOthersSendBeforeTheCompletionIsSentIfThatIsACommit() {
		this.transaction.executeWithoutResult((status) -> {
			this.template.send("events", "a");
			TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {

				@Override
				public void beforeCompletion() {
					AfterCommitTests.this.template.send("events", "b");
				}

			});
		});
		assertThat(this.sent).containsExactly("a", "b");
	}

	@Test
	void aTransactionThatWasCompletedOnAnotherThreadIsNotTakenForTheNext() {
		TransactionSynchronizationManager.initSynchronization();
		TransactionSynchronizationManager.setActualTransactionActive(true);
		sendToEvents("a");
		TransactionSynchronization synchronization = TransactionSynchronizationManager.getSynchronizations().get(0);
		CompletableFuture.runAsync(() -> synchronization.afterCompletion(TransactionSynchronization.STATUS_COMMITTED))
			.join();
		TransactionSynchronizationManager.clear();
		this.transaction.executeWithoutResult((status) -> sendToEvents("b"));
		assertThat(this.sent).containsExactly("a", "b");
	}

	@Test
	void othersMayHaveATransactionOfTheirOwnAfterTheCommit() {
		this.transaction.executeWithoutResult((status) -> {
			this.template.send("events", "a");
			afterCommit(() -> {
				this.template.send("events", "b");
				transaction(TransactionDefinition.PROPAGATION_REQUIRES_NEW)
					.executeWithoutResult((inner) -> this.template.send("events", "inner"));
				assertThat(this.sent).containsExactly("a", "inner");
				this.template.send("events", "c");
			});
		});
		assertThat(this.sent).containsExactly("a", "inner", "b", "c");
	}

	@Test
	void whatATransactionalEventListenerSendsIsSent() {
		try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext()) {
			context.registerBean(StreamTemplate.class, () -> this.template);
			context.register(EventListeners.class);
			context.refresh();
			inTransaction((status) -> context.publishEvent("something happened"));
			assertThat(this.sent).containsExactly("before", "after: something happened");
			this.sent.clear();
			inTransaction((status) -> {
				context.publishEvent("nothing happened");
				status.setRollbackOnly();
			});
			assertThat(this.sent).isEmpty();
		}
	}

	@Test
	void aTransactionOfItsOwnSendsAfterItsOwnCommit() {
		this.transaction.executeWithoutResult((status) -> {
			this.template.send("events", "outer");
			transaction(TransactionDefinition.PROPAGATION_REQUIRES_NEW)
				.executeWithoutResult((inner) -> this.template.send("events", "inner"));
			assertThat(this.sent).containsExactly("inner");
			status.setRollbackOnly();
		});
		assertThat(this.sent).containsExactly("inner");
	}

	@Test
	void aTransactionOfItsOwnThatIsRolledBackDropsItsOwnOnly() {
		this.transaction.executeWithoutResult((status) -> {
			this.template.send("events", "outer");
			transaction(TransactionDefinition.PROPAGATION_REQUIRES_NEW).executeWithoutResult((inner) -> {
				this.template.send("events", "inner");
				inner.setRollbackOnly();
			});
		});
		assertThat(this.sent).containsExactly("outer");
	}

	@Test
	void aTransactionOfItsOwnIsNoneOfTheSavepointsBusinessAround() {
		this.transaction.executeWithoutResult((status) -> {
			this.template.send("events", "before");
			nested((step) -> {
				this.template.send("events", "dropped");
				transaction(TransactionDefinition.PROPAGATION_REQUIRES_NEW).executeWithoutResult((inner) -> {
					this.template.send("events", "inner");
					nested((innerStep) -> {
						this.template.send("events", "inner dropped");
						innerStep.setRollbackOnly();
					});
				});
				assertThat(this.sent).containsExactly("inner");
				this.template.send("events", "dropped as well");
				step.setRollbackOnly();
			});
			this.template.send("events", "after");
		});
		assertThat(this.sent).containsExactly("inner", "before", "after");
	}

	@Test
	void aSavepointOfBeforeTheFirstSendDropsAll() {
		inTransaction((status) -> {
			nested((step) -> {
				this.template.send("events", "a");
				nested((deeper) -> this.template.send("events", "b"));
				step.setRollbackOnly();
			});
			this.template.send("events", "c");
		});
		assertThat(this.sent).containsExactly("c");
	}

	@Test
	void theSameSavepointMayBeRolledBackToTwice() {
		inTransaction((status) -> {
			this.template.send("events", "a");
			Object savepoint = status.createSavepoint();
			this.template.send("events", "b");
			status.rollbackToSavepoint(savepoint);
			this.template.send("events", "c");
			status.rollbackToSavepoint(savepoint);
			this.template.send("events", "d");
		});
		assertThat(this.sent).containsExactly("a", "d");
	}

	@Test
	void whatIsSentSinceAnotherWasDroppedIsSent() {
		inTransaction((status) -> nested((outer) -> {
			nested((step) -> {
				this.template.sendAsync("events", "a")
					.whenComplete((id, ex) -> this.template.send("events", "instead"));
				this.template.send("events", "b");
				step.setRollbackOnly();
			});
			this.template.send("events", "c");
		}));
		assertThat(this.sent).containsExactly("instead", "c");
	}

	@Test
	void manyStepsWithASavepointAndASendEachHaveOneSynchronization() {
		List<String> payloads = IntStream.range(0, 2000).mapToObj(Integer::toString).toList();
		inTransaction((status) -> {
			for (String payload : payloads) {
				nested((step) -> this.template.send("events", payload));
			}
			assertThat(TransactionSynchronizationManager.getSynchronizations()).hasSize(1);
		});
		assertThat(this.sent).isEqualTo(payloads);
	}

	@Test
	void savepointsThatAreReleasedAreNotHeld() {
		List<WeakReference<Object>> savepoints = new ArrayList<>();
		this.transactions.savepoint = () -> {
			Object savepoint = new Object();
			savepoints.add(new WeakReference<>(savepoint));
			return savepoint;
		};
		inTransaction((status) -> {
			this.template.send("events", "a");
			for (int i = 0; i < 100; i++) {
				nested((step) -> this.template.send("events", "b"));
			}
			assertThat(savepoints).hasSize(100);
			awaitCollectionOf(savepoints);
		});
		assertThat(this.sent).hasSize(101);
	}

	@Test
	void aSavepointMayBeCalledLikeOneThatIsReleased() {
		List<WeakReference<Object>> savepoints = new ArrayList<>();
		this.transactions.savepoint = () -> {
			Object savepoint = "savepoint of depth %d".formatted(1);
			savepoints.add(new WeakReference<>(savepoint));
			return savepoint;
		};
		inTransaction((status) -> {
			this.template.send("events", "a");
			nested((step) -> this.template.send("events", "b"));
			nested((step) -> {
				awaitCollectionOf(savepoints.subList(0, 1));
				this.template.send("events", "c");
				step.setRollbackOnly();
			});
		});
		assertThat(this.sent).containsExactly("a", "b");
	}

	@Test
	void aRollbackToASavepointDropsWhatWasSentSinceIt() {
		List<CompletableFuture<RecordId>> ids = new ArrayList<>();
		inTransaction((status) -> {
			this.template.send("events", "before");
			transaction(TransactionDefinition.PROPAGATION_NESTED).executeWithoutResult((nested) -> {
				ids.add(this.template.sendAsync("events", "dropped"));
				nested.setRollbackOnly();
			});
			assertThat(ids.get(0)).isCancelled();
			transaction(TransactionDefinition.PROPAGATION_NESTED).executeWithoutResult((nested) -> {
				this.template.send("events", "kept");
				transaction(TransactionDefinition.PROPAGATION_NESTED).executeWithoutResult((deeper) -> {
					this.template.send("events", "dropped as well");
					deeper.setRollbackOnly();
				});
			});
			transaction(TransactionDefinition.PROPAGATION_NESTED).executeWithoutResult((nested) -> {
				transaction(TransactionDefinition.PROPAGATION_NESTED)
					.executeWithoutResult((deeper) -> this.template.send("events", "dropped with what is around it"));
				nested.setRollbackOnly();
			});
			this.template.send("events", "after");
		});
		assertThat(this.sent).containsExactly("before", "kept", "after");
	}

	@Test
	void cancellingAndReschedulingAreAtOnce() {
		given(this.commands.cancel("events", "7")).willReturn(CompletableFuture.completedFuture(true));
		this.transaction.executeWithoutResult((status) -> {
			assertThat(this.template.cancel("events", "7")).isTrue();
			verify(this.commands).cancel("events", "7");
		});
	}

	@Configuration(proxyBeanMethods = false)
	@EnableTransactionManagement
	static class EventListeners {

		@Bean
		Object listener(StreamTemplate template) {
			return new Object() {

				@TransactionalEventListener(phase = TransactionPhase.BEFORE_COMMIT)
				public void beforeCommit(String event) {
					template.send("events", "before");
				}

				@TransactionalEventListener
				public void afterCommit(String event) {
					template.send("events", "after: " + event);
				}

			};
		}

	}

	/**
	 * Transactions of nothing, which can be suspended and have savepoints.
	 */
	private static final class Transactions extends AbstractPlatformTransactionManager {

		private static final long serialVersionUID = 1L;

		private int depth;

		private int committed;

		private @Nullable RuntimeException commitFailure;

		private transient Supplier<Object> savepoint = Object::new;

		Transactions() {
			setNestedTransactionAllowed(true);
			setTransactionSynchronization(SYNCHRONIZATION_ALWAYS);
		}

		@Override
		protected Object doGetTransaction() {
			return new Transaction(this.depth > 0, this.savepoint);
		}

		@Override
		protected boolean isExistingTransaction(Object transaction) {
			return ((Transaction) transaction).existing();
		}

		@Override
		protected void doBegin(Object transaction, TransactionDefinition definition) {
			this.depth++;
		}

		@Override
		protected Object doSuspend(Object transaction) {
			int suspended = this.depth;
			this.depth = 0;
			return suspended;
		}

		@Override
		protected void doResume(@Nullable Object transaction, Object suspended) {
			this.depth = (Integer) suspended;
		}

		@Override
		protected void doCommit(DefaultTransactionStatus status) {
			if (this.commitFailure != null) {
				throw this.commitFailure;
			}
			this.committed++;
		}

		@Override
		protected void doRollback(DefaultTransactionStatus status) {
		}

		@Override
		protected void doSetRollbackOnly(DefaultTransactionStatus status) {
		}

		@Override
		protected void doCleanupAfterCompletion(Object transaction) {
			this.depth--;
		}

	}

	/**
	 * A transaction of nothing.
	 */
	private record Transaction(boolean existing,
			Supplier<Object> savepoint) implements SmartTransactionObject, SavepointManager {

		@Override
		public boolean isRollbackOnly() {
			return false;
		}

		@Override
		public void flush() {
		}

		@Override
		public Object createSavepoint() {
			return this.savepoint.get();
		}

		@Override
		public void rollbackToSavepoint(Object savepoint) {
		}

		@Override
		public void releaseSavepoint(Object savepoint) {
		}

	}

}
