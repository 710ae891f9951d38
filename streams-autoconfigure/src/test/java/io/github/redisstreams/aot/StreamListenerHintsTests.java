package io.github.redisstreams.aot;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionStage;

import io.github.redisstreams.annotation.StreamListener;
import io.github.redisstreams.listener.Acknowledgment;
import io.github.redisstreams.redis.StreamEntry;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;

import org.springframework.aot.generate.ClassNameGenerator;
import org.springframework.aot.generate.DefaultGenerationContext;
import org.springframework.aot.generate.InMemoryGeneratedFiles;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.TypeReference;
import org.springframework.context.annotation.AnnotationConfigUtils;
import org.springframework.context.aot.ApplicationContextAotGenerator;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.data.redis.connection.stream.MapRecord;
import org.springframework.data.redis.connection.stream.RecordId;
import org.springframework.javapoet.ClassName;
import org.springframework.messaging.Message;
import org.springframework.messaging.handler.annotation.Header;
import org.springframework.messaging.handler.annotation.Headers;
import org.springframework.messaging.handler.annotation.SendTo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.springframework.aot.hint.predicate.RuntimeHintsPredicates.reflection;

class StreamListenerHintsTests {

	private static RuntimeHints process(Class<?> bean) {
		GenericApplicationContext context = new GenericApplicationContext();
		AnnotationConfigUtils.registerAnnotationConfigProcessors(context);
		context.registerBean(bean);
		DefaultGenerationContext generation = new DefaultGenerationContext(
				new ClassNameGenerator(ClassName.get("io.github.redisstreams.aot", "Hints")),
				new InMemoryGeneratedFiles());
		new ApplicationContextAotGenerator().processAheadOfTime(context, generation);
		return generation.getRuntimeHints();
	}

	private static void assertBinds(RuntimeHints hints, Class<?>... types) {
		assertThat(types).allSatisfy((type) -> assertThat(
				reflection().onType(type).withMemberCategory(MemberCategory.INVOKE_DECLARED_CONSTRUCTORS))
			.accepts(hints));
	}

	private static void assertKnowsNothingOf(RuntimeHints hints, Class<?>... types) {
		assertThat(types)
			.allSatisfy((type) -> assertThat(hints.reflection().getTypeHint(TypeReference.of(type))).as(type.getName())
				.isNull());
	}

	@Test
	void callsMethodsHoweverTheyAreAnnotated() {
		RuntimeHints hints = process(Annotated.class);
		assertThat(List.of("once", "twice", "composed"))
			.allSatisfy((name) -> assertThat(reflection().onMethodInvocation(Annotated.class, name)).accepts(hints));
		assertThat(reflection().onMethodInvocation(Annotated.class, "other")).rejects(hints);
	}

	@Test
	void callsMethodsThroughAnInterface() {
		RuntimeHints hints = process(Implementation.class);
		assertThat(reflection().onMethodInvocation(Implementation.class, "handle")).accepts(hints);
		assertThat(reflection().onMethodInvocation(Declaration.class, "handle")).accepts(hints);
	}

	@Test
	void bindsContentsAndWhatIsInThem() {
		RuntimeHints hints = process(Single.class);
		assertBinds(hints, Order.class, Item.class, Customer.class, Payload.class);
		assertThat(reflection().onMethodInvocation(Order.class, "items")).accepts(hints);
	}

	@Test
	void bindsContentsOfMessagesBatchesAndContainers() {
		assertBinds(process(Messages.class), Order.class, Customer.class);
		assertBinds(process(Batch.class), Order.class);
		assertBinds(process(BatchOfMessages.class), Order.class);
		assertBinds(process(Containers.class), Order.class, Customer.class, Orders.class, Item.class);
	}

	@Test
	void bindsWhatATypeVariableStandsFor() {
		assertBinds(process(OfOrders.class), Order.class);
	}

	@Test
	void bindsWhatIsSentOn() {
		assertBinds(process(Sending.class), Invoice.class, Customer.class, Item.class, Payload.class);
		assertBinds(process(SendingByItsClass.class), Invoice.class);
	}

	@Test
	void bindsNothingThatIsNotConverted() {
		RuntimeHints hints = process(Unconverted.class);
		assertThat(reflection().onMethodInvocation(Unconverted.class, "receive")).accepts(hints);
		assertKnowsNothingOf(hints, RecordId.class, Acknowledgment.class, MapRecord.class, StreamEntry.class,
				Message.class, Customer.class, Invoice.class);
	}

	@Test
	void leavesOtherBeansAlone() {
		assertKnowsNothingOf(process(NoListener.class), Order.class);
	}

	record Order(Customer customer, List<Item> items) {

	}

	record Item(String name) {

	}

	record Customer(String name) {

	}

	record Invoice(String number) {

	}

	static class Payload {

		private String text = "";

		public String getText() {
			return this.text;
		}

		public void setText(String text) {
			this.text = text;
		}

	}

	static class Orders extends ArrayList<Order> {

		private static final long serialVersionUID = 1L;

	}

	@Target(ElementType.METHOD)
	@Retention(RetentionPolicy.RUNTIME)
	@StreamListener("composed")
	@interface Composed {

	}

	static class Annotated {

		@StreamListener("once")
		void once(String content) {
		}

		@StreamListener(id = "a", value = "twice", group = "a")
		@StreamListener(id = "b", value = "twice", group = "b")
		void twice(String content) {
		}

		@Composed
		void composed(String content) {
		}

		void other(String content) {
		}

	}

	interface Declaration {

		void handle(String content);

	}

	static class Implementation implements Declaration {

		@Override
		@StreamListener("events")
		public void handle(String content) {
		}

	}

	static class Single {

		@StreamListener("orders")
		void handle(Order order) {
		}

		@StreamListener("payloads")
		void handle(Payload payload, RecordId id) {
		}

	}

	static class Messages {

		@StreamListener("orders")
		void handle(Message<Order> order) {
		}

	}

	static class Batch {

		@StreamListener("orders")
		void handle(List<Order> orders) {
		}

	}

	static class BatchOfMessages {

		@StreamListener("orders")
		void handle(List<Message<Order>> orders, Acknowledgment acknowledgment) {
		}

	}

	static class Containers {

		@StreamListener("maps")
		void handle(Map<String, Customer> customers) {
		}

		@StreamListener("arrays")
		void handle(Item[] items) {
		}

		@StreamListener("orders")
		void handle(Orders orders) {
		}

	}

	abstract static class Of<T> {

		@StreamListener("orders")
		void handle(List<Message<T>> orders) {
		}

	}

	static class OfOrders extends Of<Order> {

	}

	static class Sending {

		@StreamListener("a")
		@SendTo("out")
		Invoice one(String content) {
			return new Invoice(content);
		}

		@StreamListener("b")
		@SendTo("out")
		CompletionStage<Customer> later(String content) {
			throw new UnsupportedOperationException();
		}

		@StreamListener("c")
		@SendTo("out")
		Flux<Item> many(String content) {
			return Flux.empty();
		}

		@StreamListener("d")
		@SendTo("out")
		Set<Message<Payload>> messages(String content) {
			return Set.of();
		}

	}

	@SendTo("out")
	static class SendingByItsClass {

		@StreamListener("a")
		Invoice handle(String content) {
			return new Invoice(content);
		}

	}

	static class Unconverted {

		@StreamListener("a")
		Invoice receive(RecordId id, Acknowledgment acknowledgment, MapRecord<String, String, String> entry,
				@Header Customer customer, @Headers Map<String, Customer> headers) {
			return new Invoice("");
		}

		@StreamListener("b")
		void handle(StreamEntry entry) {
		}

		@StreamListener("c")
		void handle(List<RecordId> ids) {
		}

		@StreamListener("d")
		void handleMessages(List<Message<StreamEntry>> entries) {
		}

	}

	static class NoListener {

		void handle(Order order) {
		}

	}

}
